// One turn of a live conversation while it runs: what its member is given, its engine's work within the time limit, and
// what it used.
import type { TurnUsage } from '../core/record/catalogue.js';
import { LEAD_NAME } from '../core/team/board/team-state.js';
import { liveProfile, liveRoster } from '../core/team/live-roster.js';
import { postOf, type LiveState, type OpenTurn } from '../core/team/live-state.js';
import { givenPosts } from '../core/team/live-turn.js';
import type { TeamFile } from '../core/team/team-file.js';
import { UNKNOWN_USAGE } from '../core/team/usage.js';
import type { MemberStream } from './member-stream.js';
import type { Clock } from './ports/clock.js';
import { givenMail } from './mail-delivery.js';
import type { EngineStep, GivenMail, GivenPost, TurnInput, TurnResult } from './ports/engine.js';
import type { EngineDirectory } from './ports/engines.js';
import { knownCost, knownUsage, readResult, readStep } from './engine-report.js';
import type { GivenPrompt } from './spawning.js';
import { runWithinTime, type TimedOutcome } from './time-limit.js';
import type { TeamTool } from './tools/team-tool.js';
import { teamPolicy } from './tools/team-policy.js';
import { TurnTools } from './tools/turn-tools.js';
import { TurnFailure } from './turn-outcome.js';

/** How long a turn may need to stop, in milliseconds. */
const TEARDOWN_MS = 7_000;
/** The longest time that a timer can be set for. */
const MAX_TIMEOUT_MS = 2_147_483_647 - TEARDOWN_MS;

export interface LiveTurnContext {
  readonly memberId: string;
  readonly turn: OpenTurn;
  readonly state: LiveState;
  readonly team: TeamFile;
  readonly engines: EngineDirectory;
  readonly clock: Clock;
  readonly stream: MemberStream;
  readonly tools: readonly TeamTool[];
  /** What a new member was asked to do. */
  readonly prompt: GivenPrompt | null;
  readonly takeMail: () => Promise<readonly GivenMail[]>;
  /** US dollars by the price table in force; null when the model is not in it. */
  readonly price: (usage: TurnUsage) => number | null;
  /** Called with what the member is about to answer, while it is written. */
  readonly onText: (text: string) => void;
}

export interface TurnEnd {
  readonly outcome: TimedOutcome<TurnResult>;
  readonly usage: TurnUsage;
}

/**
 * Runs the turn. Never rejects; resolves when its steps are durable, or could not be made so.
 * @param signal - ends the turn; its engine gets seven seconds.
 */
export async function runLiveTurn(context: LiveTurnContext, signal: AbortSignal): Promise<TurnEnd> {
  const { stream } = context;
  const input = turnInput(context);
  stream.begin(input, signal);
  const used = { usage: UNKNOWN_USAGE };
  const outcome = await attempt(context, input, signal, used);
  if (outcome.kind === 'value' && outcome.value.usage !== undefined) used.usage = knownUsage(outcome.value.usage);
  const usage = priced(used.usage, context);
  if (outcome.kind === 'value' && !signal.aborted) stream.final(outcome.value, usage);
  try {
    await stream.flush();
    return { outcome, usage };
  } catch (error) {
    // Steps are durable before the outcome that ends their turn: one whose steps could not be saved has failed.
    return { outcome: { kind: 'error', error }, usage };
  }
}

async function attempt(
  context: LiveTurnContext,
  input: TurnInput,
  stop: AbortSignal,
  used: { usage: TurnUsage },
): Promise<TimedOutcome<TurnResult>> {
  const { engines, team, memberId, clock, stream, tools, turn, state } = context;
  const name = liveProfile(team, state, memberId)?.engine ?? '';
  const engine = engines.find(name);
  if (engine === null) {
    const error = new TurnFailure(
      'ENGINE_NOT_FOUND',
      `The engine "${name}" is not available. Choose another one in the team file.`,
    );
    return { kind: 'error', error };
  }
  const loop = new AbortController();
  const loops: TurnFailure[] = [];
  // Given when the turn has ended, however it did: an engine that goes on afterwards can do nothing in its name.
  const over = new AbortController();
  const step = (given: EngineStep): void => {
    // A step that comes after its turn's end, as of an engine that does not hear a time-out, belongs to nothing.
    if (over.signal.aborted) return;
    const what = readStep(given);
    if (what.kind === 'usage') used.usage = knownUsage(what.usage);
    if (what.kind === 'text' && (what.parent ?? null) === null) context.onText(what.text);
    stream.step(what);
  };
  const onLoop = (message: string): void => {
    loops.push(new TurnFailure('TOOL_LOOP', message));
    step({ kind: 'error', message });
    loop.abort(new DOMException(message, 'AbortError'));
  };
  const timeoutMs = Math.min(state.limits.turnTimeoutMinutes * 60_000, MAX_TIMEOUT_MS);
  const outcome = await runWithinTime(
    async (work) => {
      const signal = AbortSignal.any([work, over.signal]);
      const caller = { memberId, position: turn.position, roomId: turn.roomId, signal };
      const own = new TurnTools({ tools, policy: policyOf(context), caller, step, signal, onLoop });
      const takeMail = (): Promise<readonly GivenMail[]> => (signal.aborted ? Promise.resolve([]) : context.takeMail());
      return readResult(await engine.runTurn(input, { signal: work, step, tools: own, takeMail }));
    },
    { timeoutMs, teardownGraceMs: TEARDOWN_MS, signal: AbortSignal.any([stop, loop.signal]), clock },
  );
  over.abort(new DOMException('The turn has ended.', 'AbortError'));
  const [failure] = loops;
  return failure !== undefined && !stop.aborted ? { kind: 'error', error: failure } : outcome;
}

function policyOf({ memberId, state }: LiveTurnContext): string {
  const isLead = memberId === state.lead;
  const reader = { role: isLead ? 'lead' : 'teammate', name: isLead ? LEAD_NAME : memberId } as const;
  return teamPolicy({ ...reader, teamId: state.runId });
}

function priced(usage: TurnUsage, { price }: LiveTurnContext): TurnUsage {
  return usage.pricedCost === null ? { ...usage, pricedCost: knownCost(price(usage)) } : usage;
}

function turnInput({ memberId, turn, state, team, prompt }: LiveTurnContext): TurnInput {
  const roster = liveRoster(team, state);
  const member = roster.find(({ id }) => id === memberId);
  const previous = state.members.get(memberId)?.previous.get(turn.roomId ?? '');
  return {
    position: turn.position,
    member: {
      id: memberId,
      name: member?.name ?? memberId,
      role: member?.role ?? '',
      brief: member?.brief ?? '',
      script: member?.script ?? null,
    },
    team: {
      id: team.id,
      name: team.name,
      lead: team.lead,
      members: roster.map(({ id, name, role }) => ({ id, name, role })),
    },
    roomId: turn.roomId,
    triggers: turn.triggers.flatMap((trigger) => postOf(trigger) ?? []).map(given),
    // A fork knows from its first turn what the lead's room had said.
    messages: [...(prompt?.posts ?? []), ...givenPosts(state, turn)].map(given),
    mail: turn.mail.map(({ message }) => givenMail(message)),
    prompt: prompt?.text ?? null,
    readyTasks: turn.triggers.flatMap(({ cause }) => (cause.kind === 'tasks' ? cause.tasks : [])),
    previous: previous === undefined ? null : { text: previous.summary, data: previous.data },
    retried: turn.retried,
  };
}

function given({ id, sender, text, mentions }: GivenPost): GivenPost {
  return { id, sender, text, mentions };
}
