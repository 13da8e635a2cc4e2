// The form and its questions to the host. It is open while it has a state, and what was filled in outlives a reload.
import { signal, type ReadonlySignal } from '@preact/signals';
import * as v from 'valibot';
import { LIMIT_KEYS } from '../../src/core/team/limits.js';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import { FormMember, TeamForm, type SaveTeam } from '../../src/protocol/team-form.js';
import { fill, isChanged, openForm, toSave, type FormInput, type FormState } from './form.js';
import { problemsOf } from './problems.js';

/** What is kept of an open form. */
export const SavedForm = v.strictObject({
  base: TeamForm,
  lead: v.string(),
  members: v.array(FormMember),
  limits: v.strictObject(v.entriesFromList(LIMIT_KEYS, v.string())),
  open: v.array(v.string()),
});
export type SavedForm = v.InferOutput<typeof SavedForm>;

export interface FormDesk {
  /** Null while the form is closed. */
  readonly state: ReadonlySignal<FormState | null>;
  /** Asks the host for the form. */
  ask(): void;
  act(input: FormInput): void;
  /** @returns false when something has to be filled in first. */
  save(apply: SaveTeam['apply']): boolean;
  /** Closes the form; with changes it asks first. */
  leave(): void;
  /** Closes the form, whatever was changed. */
  drop(): void;
  showFile(): void;
  hear(message: HostMessage): void;
  /** What to keep of it; null while it is closed. */
  saved(): SavedForm | null;
}

/**
 * @param send the way to the host
 * @param keep called when there is something else to be kept
 * @param saved what an earlier panel kept
 */
export function createFormDesk(
  send: (message: PanelMessage) => void,
  keep: () => void,
  saved: SavedForm | null,
): FormDesk {
  const state = signal<FormState | null>(saved === null ? null : { ...openForm(saved.base), ...saved });
  // The file may be another by now.
  if (saved !== null) send({ type: 'configureTeam' });

  const set = (next: FormState | null): void => {
    if (next === state.value) return;
    state.value = next;
    keep();
  };
  const act = (input: FormInput): void => {
    if (state.value !== null) set(fill(state.value, input));
  };
  return {
    state,
    act,
    ask: () => send({ type: 'configureTeam' }),
    save: (apply) => {
      const now = state.value;
      if (now === null || now.saving !== null) return true;
      const problems = problemsOf(now);
      if (problems.length > 0) {
        act({ kind: 'tried', keys: problems.flatMap(({ place }) => (place.kind === 'member' ? [place.key] : [])) });
        return false;
      }
      send(toSave(now, apply));
      act({ kind: 'saving', apply });
      return true;
    },
    leave: () => {
      if (state.value === null) return;
      if (isChanged(state.value)) act({ kind: 'ask', asking: true });
      else set(null);
    },
    drop: () => set(null),
    showFile: () => {
      if (state.value !== null) send({ type: 'showTeamFile', teamId: state.value.base.teamId });
    },
    hear: (message) => {
      const now = state.value;
      if (message.type === 'teamForm') {
        if (now === null) set(openForm(message.form));
        else if (now.base.teamId === message.form.teamId || !isChanged(now)) act({ kind: 'form', form: message.form });
        // The form of another team does not take the place of one that was worked on.
        else act({ kind: 'ask', asking: true });
      } else if (message.type === 'teamFormSaved') {
        if (now?.base.teamId === message.teamId) set(null);
      } else if (message.type === 'teamFormRefused') {
        if (now?.base.teamId === message.teamId) act({ kind: 'refused', ...message });
      }
    },
    saved: () => {
      if (state.value === null) return null;
      const { base, lead, members, limits, open } = state.value;
      return { base, lead, members: [...members], limits: { ...limits }, open: [...open] };
    },
  };
}
