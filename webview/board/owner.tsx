// Whoever owns a task or changed it: a picture and a name.
import type { JSX } from 'preact';
import type { MemberFace } from '../store/views.js';
import { Avatar } from '../ui/icon.js';
import { tintOf } from '../words.js';

export type Faces = ReadonlyMap<string, MemberFace>;

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
