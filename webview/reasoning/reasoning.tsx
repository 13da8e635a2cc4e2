// A member's private reasoning for one turn, behind a button: what it thought, called and was told, in pages, and live
// while the turn runs.
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Panel } from '../store/panel.js';
import { Button, ToolButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { holdStill } from './hold-still.js';
import { shownPieces, type ReasoningState } from './state.js';
import { StepItem } from './step.js';
import { treeOf, type StepTree } from './steps.js';
import { durationWords, stepsWords, turnUsageWords } from './words.js';

/** This near to its end the next page is asked for. */
const NEAR_END_PX = 160;
/** Within this of the end the reader follows it. */
const AT_END_PX = 24;
/** From this many steps on the browser leaves out what is not in view. */
const MANY = 120;

export interface ReasoningProps {
  readonly panel: Panel;
  /** Of the turn. */
  readonly position: string;
  /** True while the turn runs. */
  readonly isRunning: boolean;
}

/** The button and what it opens. Nothing is asked of the host before it is opened. */
export function Reasoning({ panel, position, isRunning }: ReasoningProps): JSX.Element {
  const desk = panel.reasoning;
  const state = desk.at(position).value;
  const button = useRef<HTMLButtonElement>(null);
  const settle = useRef<(() => void) | null>(null);
  const id = useId();
  const isOpen = state.status !== 'closed';
  const pieces = useMemo(() => shownPieces(state), [state]);
  const before = useRef<StepTree | null>(null);
  const tree = useMemo(() => treeOf(pieces, state.isRunning, before.current), [pieces, state.isRunning]);
  before.current = isOpen ? tree : null;

  useLayoutEffect(() => {
    settle.current?.();
    settle.current = null;
  }, [isOpen]);
  useEffect(() => {
    // The turn has ended and its reasoning was not told so: how it ended is asked for.
    if (!isRunning && state.status === 'open' && state.isRunning) desk.more(position);
  }, [isRunning, state.isRunning]);

  const toggle = (): void => {
    // WV-4: what is read stays where it is, also for a reader who stood at the end; who watches the end where a turn is
    // at work goes on watching it.
    if (!isRunning || !panel.state.value.following) {
      if (!isOpen) panel.act({ kind: 'following', following: false });
      settle.current = holdStill(button.current, !isOpen);
    }
    if (isOpen) desk.close(position);
    else desk.open(position);
  };
  return (
    <div class="reasoning" data-reasoning={position}>
      <button
        ref={button}
        type="button"
        class="reasoning-toggle"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={toggle}
      >
        <Icon id={isOpen ? 'chevron-down' : 'chevron-right'} />
        <span>Reasoning</span>
        {tree.count === 0 ? null : <span class="quiet">{headWords(tree, state)}</span>}
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen ? <Opened panel={panel} position={position} state={state} tree={tree} /> : null}
      </div>
    </div>
  );
}

function headWords({ count, took }: StepTree, { hasMore, isRunning }: ReasoningState): string {
  const steps = hasMore ? `the first ${stepsWords(count)}` : stepsWords(count);
  return isRunning || hasMore || took < 1000 ? steps : `${steps} · ${durationWords(took)}`;
}

interface OpenedProps extends Omit<ReasoningProps, 'isRunning'> {
  readonly state: ReasoningState;
  readonly tree: StepTree;
}

function Opened({ panel, position, state, tree }: OpenedProps): JSX.Element {
  const more = (): void => panel.reasoning.more(position);
  const box = useOwnPlace(state, tree, more);
  const usage = tree.usage === null ? '' : turnUsageWords(tree.usage);
  const isEmpty = tree.count === 0 && state.problem === null;
  return (
    <div class="reasoning-box" role="group" aria-label="Reasoning" aria-busy={state.isAsking}>
      {isEmpty ? (
        <p class={state.status === 'loading' ? 'reasoning-empty is-loading' : 'reasoning-empty'}>{emptyWords(state)}</p>
      ) : (
        <div class="reasoning-scroll" ref={box} tabIndex={0} role="region" aria-label="Steps">
          <ol class={tree.count > MANY && !state.isRunning ? 'steps many' : 'steps'}>
            {tree.steps.map((step) => (
              <StepItem key={step.id} step={step} />
            ))}
          </ol>
          {state.isPartial && !state.hasMore ? (
            <p class="reasoning-partial">
              <Icon id="debug-stop" />
              Stopped here: this is all there is.
            </p>
          ) : null}
          {state.hasMore ? (
            <div class="reasoning-more">
              <Button label={state.isAsking ? 'Loading…' : 'Show More'} disabled={state.isAsking} onClick={more} />
            </div>
          ) : null}
        </div>
      )}
      {state.problem === null ? null : (
        <div class="reasoning-problem" role="alert">
          <Icon id="error" />
          <span>{state.problem}</span>
          <Button label="Try Again" onClick={more} />
        </div>
      )}
      <div class="reasoning-foot">
        <span class="quiet">{usage}</span>
        <ToolButton
          label="Open as Document"
          icon="go-to-file"
          words
          onClick={() => panel.tell({ type: 'openReasoning', position })}
        />
      </div>
    </div>
  );
}

function emptyWords({ status, isRunning, isPartial }: ReasoningState): string {
  if (status === 'loading') return 'Loading…';
  if (isRunning) return 'Nothing yet.';
  return isPartial ? 'Stopped before its first step.' : 'This turn recorded no steps.';
}

/** Its own scroll box follows its end only for a reader who stands there; near the end the next page is asked for. */
function useOwnPlace(state: ReasoningState, tree: StepTree, more: () => void): { current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement | null>(null);
  const follows = useRef(true);
  const follow = state.isRunning && !state.hasMore;
  useLayoutEffect(() => {
    if (follow && follows.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [tree, follow]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onScroll = (): void => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      follows.current = left < AT_END_PX;
      if (state.hasMore && !state.isAsking && left < NEAR_END_PX) more();
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [state, tree.count === 0]);
  return box;
}
