// The form of the team, in the place of the room: lead, members, limits, and what to do with them.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { FORM_BOUNDS, type FormProblem, type SaveTeam } from '../../src/protocol/team-form.js';
import { isComposed } from '../composer/keys.js';
import { Button, ToolButton } from '../ui/button.js';
import { ChoiceField, LineField } from '../ui/field.js';
import { useFocusReturned } from '../ui/focus-returned.js';
import { Icon } from '../ui/icon.js';
import type { FormDesk } from './desk.js';
import { inForce, isChanged, type FormState } from './form.js';
import { MemberRow } from './member-row.js';
import { nameOf, shownProblems } from './problems.js';
import { inForceWords, LIMIT_WORDS, membersWords, placeWords } from './words.js';

export function TeamFormRegion({ desk }: { readonly desk: FormDesk }): JSX.Element | null {
  const state = desk.state.value;
  return state === null ? null : <Open desk={desk} state={state} />;
}

interface OpenProps {
  readonly desk: FormDesk;
  readonly state: FormState;
}

function Open({ desk, state }: OpenProps): JSX.Element {
  const root = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useFocusReturned(root);
  const problems = shownProblems(state);
  const save = (apply: SaveTeam['apply']): void => {
    if (!desk.save(apply)) requestAnimationFrame(() => focusFirstBad(root.current));
  };
  useRefusalShown(root, state.problems);
  const onKeyDown = (event: KeyboardEvent): void => {
    // WX-7: the Escape that ends a composition is the input method's.
    if (event.key !== 'Escape' || isComposed(event)) return;
    event.preventDefault();
    if (state.asking) desk.act({ kind: 'ask', asking: false });
    else desk.leave();
  };
  return (
    <section class="team-form" aria-labelledby="team-form-title" ref={root} onKeyDown={onKeyDown}>
      <header class="form-head">
        <ToolButton label="Back to the room" icon="arrow-left" onClick={() => desk.leave()} />
        <div class="form-names">
          <h1 class="clip" id="team-form-title" tabIndex={-1} ref={heading}>
            Configure {state.base.name}
          </h1>
          <p class="form-place quiet">{placeWords(state.base)}</p>
        </div>
        {state.base.place.kind === 'file' ? (
          <ToolButton label="Open Team File" icon="go-to-file" words onClick={() => desk.showFile()} />
        ) : null}
      </header>
      <div class="form-scroll">
        <div class="form-column">
          <General problems={problems} />
          <Members desk={desk} state={state} problems={problems} />
          <Limits desk={desk} state={state} problems={problems} />
        </div>
      </div>
      <footer class="form-foot">
        {state.asking ? <Ask desk={desk} /> : <Actions desk={desk} state={state} save={save} />}
      </footer>
    </section>
  );
}

function General({ problems }: { readonly problems: readonly FormProblem[] }): JSX.Element {
  const words = problems.filter(({ place }) => place.kind === 'team').map(({ message }) => message);
  return (
    <div class="form-general" role="alert">
      {words.map((one) => (
        <p key={one}>
          <Icon id="warning" />
          <span>{one}</span>
        </p>
      ))}
    </div>
  );
}

interface PartProps extends OpenProps {
  readonly problems: readonly FormProblem[];
}

function Members({ desk, state, problems }: PartProps): JSX.Element {
  const { members, lead, saving } = state;
  const list = useRef<HTMLUListElement>(null);
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    list.current?.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = null;
  });
  const isBusy = saving !== null;
  return (
    <section class="form-part" aria-labelledby="form-members">
      <h2 id="form-members">Members</h2>
      <ChoiceField
        label="Lead"
        hint="Answers posts that mention nobody."
        value={lead}
        disabled={isBusy}
        problem={problems.find(({ place }) => place.kind === 'lead')?.message ?? null}
        choices={members.map((row) => ({ id: row.key, label: nameOf(row) || 'New member' }))}
        onInput={(key) => desk.act({ kind: 'lead', key })}
      />
      <ul class="form-members" ref={list} aria-label={membersWords(members.length)}>
        {members.map((row, at) => (
          <MemberRow
            key={row.key}
            row={row}
            tint={at}
            isLead={row.key === lead}
            isOpen={state.open.includes(row.key)}
            isFirst={at === 0}
            isLast={at === members.length - 1}
            isBusy={isBusy}
            engines={state.base.engines}
            problems={problems}
            act={(input) => {
              if (input.kind === 'remove') {
                // The focus goes to who stands there now, else to who stood before.
                const next = members[at + 1] ?? members[at - 1];
                wanted.current = next === undefined ? null : `${rowOf(next.key)} .form-member-toggle`;
              }
              // The row is taken out and put in again: its button gets the focus back.
              if (input.kind === 'move') wanted.current = `${rowOf(row.key)} .tool:nth-child(${input.by < 0 ? 1 : 2})`;
              desk.act(input);
            }}
          />
        ))}
      </ul>
      <div>
        <Button
          label="Add Member"
          icon="add"
          disabled={isBusy || members.length >= FORM_BOUNDS.members}
          onClick={() => {
            wanted.current = 'li:last-child input';
            desk.act({ kind: 'add' });
          }}
        />
      </div>
    </section>
  );
}

function Limits({ desk, state, problems }: PartProps): JSX.Element {
  return (
    <section class="form-part" aria-labelledby="form-limits">
      <h2 id="form-limits">Limits</h2>
      <p class="quiet">Empty: the team sets none. A team can lower what the settings allow, never raise it.</p>
      <div class="form-limits">
        {state.base.limits.map(({ key }) => {
          const now = inForce(state, key);
          return (
            <LineField
              key={key}
              label={LIMIT_WORDS[key]}
              hint={now === null ? undefined : inForceWords(now)}
              value={state.limits[key]}
              numeric
              maxLength={24}
              disabled={state.saving !== null}
              problem={problems.find(({ place }) => place.kind === 'limit' && place.key === key)?.message ?? null}
              onInput={(value) => desk.act({ kind: 'limit', key, value })}
            />
          );
        })}
      </div>
    </section>
  );
}

interface ActionsProps extends OpenProps {
  readonly save: (apply: SaveTeam['apply']) => void;
}

function Actions({ desk, state, save }: ActionsProps): JSX.Element {
  const changed = isChanged(state);
  const isBusy = state.saving !== null;
  return (
    <>
      <Button
        label={changed || state.base.isInForce ? 'Save and Apply Now' : 'Apply Now'}
        primary
        title="Saves the file, and the open conversation goes on with the team as it is then"
        disabled={isBusy || (!changed && state.base.isInForce)}
        onClick={() => save('running')}
      />
      <Button
        label="Save for New Conversations"
        title="Saves the file; the open conversation stays as it is"
        disabled={isBusy || !changed}
        onClick={() => save('new')}
      />
      <Button label="Cancel" onClick={() => desk.leave()} />
      <span class="quiet" role="status">
        {isBusy ? 'Saving…' : ''}
      </span>
    </>
  );
}

function Ask({ desk }: { readonly desk: FormDesk }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.querySelector<HTMLElement>('vscode-button:last-of-type')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div class="form-ask" role="alertdialog" aria-labelledby="form-ask" ref={box}>
      <p id="form-ask">Drop what you changed?</p>
      <Button label="Drop Changes" onClick={() => desk.drop()} />
      <Button label="Keep Editing" primary onClick={() => desk.act({ kind: 'ask', asking: false })} />
    </div>
  );
}

/** What the host refused stands where it is seen: at its field, else at the top. */
function useRefusalShown(root: { readonly current: HTMLElement | null }, problems: readonly FormProblem[]): void {
  const seen = useRef(problems);
  useEffect(() => {
    if (problems === seen.current) return;
    const isMore = problems.some((one) => !seen.current.includes(one));
    seen.current = problems;
    if (!isMore) return;
    if (problems.some(({ place }) => place.kind === 'team'))
      root.current?.querySelector('.form-scroll')?.scrollTo(0, 0);
    else focusFirstBad(root.current);
  }, [problems]);
}

function focusFirstBad(root: HTMLElement | null): void {
  const bad = root?.querySelector<HTMLElement>('[aria-invalid="true"], .form-id-problem');
  bad?.focus();
  // An id that cannot be changed is no field, and cannot have the focus.
  bad?.scrollIntoView({ block: 'nearest' });
}

function rowOf(key: string): string {
  return `[data-row="${CSS.escape(key)}"]`;
}
