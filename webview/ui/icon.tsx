// Codicons, and the picture of a member: an icon or letters on a tint that stays the member's own.
import type { JSX } from 'preact';
import type { IconView, MemberView } from '../../src/protocol/view.js';

/** @param id a codicon id, e.g. "send" */
export function Icon({ id, slot }: { readonly id: string; readonly slot?: string }): JSX.Element {
  const safe = /^[a-z0-9-]+$/.test(id) ? id : 'person';
  return <span class={`codicon codicon-${safe}`} aria-hidden="true" {...(slot === undefined ? {} : { slot })} />;
}

const TINTS = 6;

export interface AvatarProps {
  readonly icon: IconView;
  /** Which of the tints; -1 is neutral. */
  readonly tint: number;
  readonly status?: MemberView['status'];
}

/** @param tint a member's place in the roster; -1 is neutral. @returns the class that gives its colour */
export function tintClass(tint: number): string {
  return tint < 0 ? 'tint-none' : `tint-${tint % TINTS}`;
}

/** A picture beside a name; it says nothing that the words beside it do not. */
export function Avatar({ icon, tint, status }: AvatarProps): JSX.Element {
  return (
    <span class={`avatar ${tintClass(tint)}`} aria-hidden="true">
      {icon.kind === 'codicon' ? <Icon id={icon.id} /> : <span class="letters">{icon.letters}</span>}
      {status === undefined ? null : <span class={`dot dot-${status}`} />}
    </span>
  );
}
