// Whoever owns a task or changed it: a picture and a name.
import type { JSX } from 'preact';
import type { MemberView } from '../../src/protocol/view.js';
import { Avatar } from '../ui/icon.js';
import { tintOf } from '../words.js';

/** All members by id. */
export type Faces = ReadonlyMap<string, MemberView>;

/** The person, among owners and authors. */
export const PERSON = 'you';

/** @param id a member's, or `you`. @returns the name that it is shown under */
export function nameOf(id: string, faces: Faces): string {
  return id === PERSON ? 'You' : (faces.get(id)?.name ?? id);
}

export interface OwnerProps {
  readonly id: string;
  readonly faces: Faces;
}

export function Owner({ id, faces }: OwnerProps): JSX.Element {
  const face = faces.get(id);
  const icon = face?.icon ?? { kind: 'codicon' as const, id: id === PERSON ? 'account' : 'person' };
  return (
    <span class="owner">
      <Avatar icon={icon} tint={tintOf(id, faces)} />
      <span class="clip">{nameOf(id, faces)}</span>
    </span>
  );
}
