// Waiting for the team, interrupting a member, and closing: what ends a wait, what an interrupt leaves, and what a team
// that closes waits for. "Unload" of the reference is here that the conversation closes in this window.
import { describe, expect, onTestFinished, test } from 'vitest';
import { TeamError } from '../../src/core/team/error.js';
import { Conversation } from '../../src/runtime/conversation.js';
import { TeamClosing } from '../../src/runtime/team-closing.js';
import { command } from '../../src/runtime/team-command.js';
import { systemClock } from '../../src/runtime/system-clock.js';
import { beginTeam, beginTeamOn, blocks, handleOf, outcomeOf } from '../support/agent-team.js';
import { isIdle, payloads, tapped } from '../support/chat.js';
import { HandClock } from '../support/hand-clock.js';
import { HandEngine, host, memoryStorage, post, until } from '../support/live-team.js';
import { MemoryDisk } from '../../src/storage/memory/disk.js';

const never = new AbortController().signal;
const HOUR = 3_600_000;
const TASK = { subject: 's', description: 'd' };

/** What waits as alpha does: it listens when the call returns. */
async function waiter(conversation: Conversation) {
  const alpha = await handleOf(conversation, 'alpha');
  return (signal: AbortSignal = never, timeoutMs = HOUR) =>
    conversation.service.waitForChange(alpha, timeoutMs, signal);
}

async function status(conversation: Conversation, name: string) {
  const rows = await conversation.service.listMembers(conversation.service.person);
  return rows.find((row) => row.name === name)?.status;
}

/** A storage whose first append that holds an event of `type` waits for the gate. */
function gated(type: string, disk = new MemoryDisk()) {
  const held = Promise.withResolvers<undefined>();
  const gate = Promise.withResolvers<undefined>();
  const storage = tapped(memoryStorage(disk), (_stream, batch) => {
    if (!batch.some((event) => event.type === type)) return undefined;
    held.resolve(undefined);
    return gate.promise as Promise<never>;
  });
  onTestFinished(() => gate.resolve(undefined));
  return {
    disk,
    storage,
    held: held.promise,
    release: () => gate.resolve(undefined),
    fail: (e: Error) => gate.reject(e),
  };
}

/** Says whether a promise has settled by now. */
function watch(promise: Promise<unknown>): { readonly isOver: boolean } {
  const seen = { isOver: false };
  const over = (): void => void (seen.isOver = true);
  promise.then(over, over);
  return seen;
}

function spawn(conversation: Conversation) {
  const request = {
    name: 'bob',
    description: 'b',
    prompt: 'p',
    context: 'fresh',
    provider: 'hand',
    signal: never,
  } as const;
  return conversation.service.spawnTeammate(conversation.service.person, request);
}

describe('A wait', () => {
  test.each([9_999, HOUR + 1, 10_000.5, NaN, 2 ** 53])('W01 cannot be of %d ms', async (timeoutMs) => {
    const { conversation } = await beginTeam();
    const wait = await waiter(conversation);
    expect(await outcomeOf(wait(never, timeoutMs))).toBe('TEAM_INVALID_TIMEOUT');
  });

  test('W03 ends when a change is durable, not before', async () => {
    const { storage, held, release } = gated('team/task');
    const { conversation } = await beginTeamOn(storage);
    const wait = await waiter(conversation);
    const waiting = wait();
    const seen = watch(waiting);
    const creating = conversation.service.createTask(conversation.service.person, TASK);
    await held;
    expect(seen.isOver).toBe(false);
    release();
    expect(await waiting).toEqual({ timedOut: false });
    await creating;
  });

  test('W04 W05 ends with the Error that it is aborted with, or says what else it was', async () => {
    const { conversation } = await beginTeam();
    const wait = await waiter(conversation);
    const reason = new Error('enough');
    const first = new AbortController();
    const waiting = wait(first.signal);
    first.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const second = new AbortController();
    const other = wait(second.signal);
    second.abort('enough');
    await expect(other).rejects.toMatchObject({ code: 'TEAM_WAIT_ABORTED', message: 'wait_agent aborted: enough' });
    await expect(wait(AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('W07 of one that is aborted leaves that of another', async () => {
    const { conversation } = await beginTeam();
    const wait = await waiter(conversation);
    const abort = new AbortController();
    const aborted = wait(abort.signal);
    const other = wait();
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await conversation.service.createTask(conversation.service.person, TASK);
    expect(await other).toEqual({ timedOut: false });
  });

  test('W08 is not told what happened before it, and ends with its time', async () => {
    const clock = new HandClock();
    const { conversation } = await beginTeam({ clock });
    const wait = await waiter(conversation);
    await conversation.service.createTask(conversation.service.person, TASK);
    const waiting = wait(never, 10_000);
    await clock.nextTimer({ orSet: true });
    clock.fire();
    expect(await waiting).toEqual({ timedOut: true });
    expect(clock.elapsed()).toBe(10_000);
  });

  test('ends when a member begins or ends a turn', async () => {
    const { conversation, engine } = await beginTeam();
    const wait = await waiter(conversation);
    const begins = wait();
    await post(conversation, '@beta go');
    expect(await begins).toEqual({ timedOut: false });
    const turn = await engine.begun();
    const ends = wait();
    turn.answer('Done.');
    expect(await ends).toEqual({ timedOut: false });
  });

  test('W09 W15 W17 ends at once when the team closes, and so does what runs', async () => {
    const { conversation, engine } = await beginTeam();
    const wait = await waiter(conversation);
    await post(conversation, '@beta go');
    const turn = await engine.begun();
    const waiting = wait();
    const closing = conversation.close();
    expect(await waiting).toEqual({ timedOut: false });
    expect(await wait()).toEqual({ timedOut: false });
    await closing;
    expect(turn.signal.aborted).toBe(true);
  });
});

describe('An interrupt', () => {
  test('W10 W11 ends the running turn only; the member is inactive afterwards, and its mail and tasks are its own', async () => {
    const { conversation, engine } = await beginTeam();
    const { service } = conversation;
    await post(conversation, '@beta go');
    const turn = await engine.begun();
    const beta = await handleOf(conversation, 'beta');
    await service.createTask(beta, TASK);
    await service.updateTask(beta, { taskId: 'task-1', expectedRevision: 1, action: 'claim' });
    const lead = await handleOf(conversation, 'lead');
    expect(await service.interrupt(lead, ' beta ')).toEqual({ previousStatus: 'running' });
    await until(conversation, isIdle);
    expect(turn.signal.aborted).toBe(true);
    expect(await status(conversation, 'beta')).toBe('inactive');
    expect(await service.interrupt(lead, 'beta')).toEqual({ previousStatus: 'inactive' });
    expect(await service.getTask(lead, 'task-1')).toMatchObject({ status: 'in_progress', ownerName: 'beta' });
    // Ours: what was interrupted can be taken up again.
    expect(await service.resumeTeammate(lead, 'beta')).toEqual({ resumed: true });
    expect((await engine.begun()).input.retried).toEqual({ code: null });
    expect(await service.resumeTeammate(lead, 'alpha')).toEqual({ resumed: false });
  });

  test('W12 W13 is for the lead, and of a teammate', async () => {
    const { conversation } = await beginTeam();
    const { service } = conversation;
    const lead = await handleOf(conversation, 'lead');
    const alpha = await handleOf(conversation, 'alpha');
    for (const call of ['interrupt', 'resumeTeammate'] as const) {
      expect(await outcomeOf<unknown>(service[call](lead, 'lead'))).toBe('TEAM_INVALID_TARGET');
      expect(await outcomeOf<unknown>(service[call](lead, 'nobody'))).toBe('TEAM_MEMBER_NOT_FOUND');
      expect(await outcomeOf<unknown>(service[call](alpha, 'beta'))).toBe('TEAM_LEAD_REQUIRED');
    }
  });
});

describe('A team that closes', () => {
  test('W16 cuts a spawning off and waits for its end; the member never runs', async () => {
    const { disk, storage, held, release } = gated('prompt:given');
    const { conversation, engine, runId } = await beginTeamOn(storage);
    const wait = await waiter(conversation);
    const spawning = outcomeOf(spawn(conversation));
    await held;
    const closing = conversation.close();
    const seen = watch(closing);
    expect(await wait()).toEqual({ timedOut: false });
    expect(seen.isOver).toBe(false);
    release();
    expect(await spawning).toBe('TEAM_DISPOSED');
    await closing;
    expect(engine.calls).toEqual([]);
    expect((await payloads(memoryStorage(disk), runId, 'team/member')).at(-1)).toMatchObject({
      member: { name: 'bob', phase: 'failed' },
    });
  });

  test('W19 says what failed otherwise than by the closing', async () => {
    const { storage, held, fail } = gated('prompt:given');
    const { conversation } = await beginTeamOn(storage);
    const spawning = spawn(conversation).catch((error: unknown) => error);
    await held;
    const closing = conversation.service.close().catch((error: unknown) => error);
    const foreign = new Error('the disk is gone');
    fail(foreign);
    expect(await spawning).toBe(foreign);
    expect(await closing).toMatchObject({ errors: [foreign] });
  });

  const gone = new TeamError('TEAM_DISPOSED', 'elsewhere');
  const circle = new Error('circle');
  circle.cause = circle;
  test.each([
    ['W21 drops TEAM_DISPOSED', gone, []],
    ['W21 drops what it caused, however deep', new Error('a', { cause: new Error('b', { cause: gone }) }), []],
    ['W20 keeps an ordinary rejection', circle, [circle]],
    ['W20 keeps what is no Error', 'x', ['x']],
  ])('%s', async (_name, reason, kept) => {
    const closing = new TeamClosing();
    const work = closing.admit(
      () => new Promise((_resolve, reject) => closing.signal.addEventListener('abort', () => reject(reason as Error))),
    );
    const rejected = work.catch((error: unknown) => error);
    const failure = await closing.close(systemClock, 5_000).then(
      () => [],
      (error: unknown) => (error as { readonly errors: readonly unknown[] }).errors,
    );
    expect(failure).toEqual(kept);
    expect(await rejected).toBe(reason);
    expect(() => closing.refuse()).toThrow(expect.objectContaining({ code: 'TEAM_DISPOSED' }));
  });

  test('W24 cuts deliveries off: what was not on its way stays pending, and the sender is told that it is queued', async () => {
    const { storage, held, fail } = gated('mail:received');
    const { conversation } = await beginTeamOn(storage);
    const { service } = conversation;
    const send = () =>
      service.sendMessage(service.person, { target: 'beta', content: blocks('x'), delivery: 'wakeup' });
    const sent = [send(), send()];
    await held;
    const closing = conversation.close();
    const seen = watch(closing);
    await expect(send()).rejects.toMatchObject({ code: 'TEAM_DISPOSED' });
    expect(seen.isOver).toBe(false);
    fail(new Error('cut off'));
    expect((await Promise.all(sent)).map(({ status: is }) => is)).toEqual(['queued', 'queued']);
    await closing;
  });

  test('W25 waits for an acknowledgement that is on its way', async () => {
    const { disk, storage, held, release } = gated('team/message/delivered');
    const { conversation, engine, runId } = await beginTeamOn(storage);
    const { service } = conversation;
    const sent = service.sendMessage(service.person, { target: 'beta', content: blocks('x'), delivery: 'wakeup' });
    await held;
    const closing = conversation.close();
    release();
    await closing;
    expect((await sent).status).toBe('accepted');
    expect(await payloads(memoryStorage(disk), runId, 'team/message/delivered')).toHaveLength(1);
    expect(engine.calls).toEqual([]);
  });

  test('W27 waits no longer than a step may take, and takes nothing in afterwards', async () => {
    const { storage, held, release } = gated('prompt:given');
    const clock = new HandClock();
    const { conversation } = await beginTeamOn(storage, { clock, teamLimits: { disposalTimeoutMs: 25 } });
    const { service } = conversation;
    const spawning = spawn(conversation).catch((error: unknown) => error);
    await held;
    const closing = service.close().catch((error: unknown) => error);
    await clock.nextTimer({ orSet: true });
    clock.fire();
    expect(clock.elapsed()).toBe(25);
    expect(await closing).toMatchObject({ errors: [{ code: 'TEAM_DISPOSAL_TIMEOUT' }] });
    expect(await outcomeOf(spawn(conversation))).toBe('TEAM_DISPOSED');
    const mail = { target: 'beta', content: blocks('x'), delivery: 'wakeup' } as const;
    expect(await outcomeOf(service.sendMessage(service.person, mail))).toBe('TEAM_DISPOSED');
    // The board stays usable: what is known last can be kept.
    expect(await service.createTask(service.person, TASK)).toMatchObject({ id: 'task-1' });
    release();
    await spawning;
  });

  test('W29 lets go of the conversation whatever fails, and the host is told', async () => {
    const { disk, storage, held, fail } = gated('prompt:given');
    const { window, conversation, runId } = await beginTeamOn(storage);
    const spawning = spawn(conversation).catch((error: unknown) => error);
    await held;
    const closing = conversation.close();
    fail(new Error('the disk is gone'));
    await closing;
    await spawning;
    expect(window.errors).toMatchObject([{ errors: [{ message: 'the disk is gone' }] }]);
    expect(memoryStorage(disk).runs.isHeld(runId)).toBe(false);
  });

  test('waits no longer for turns whose store hangs, and lets go of the conversation', async () => {
    const { disk, storage, held, release } = gated('input:given');
    const clock = new HandClock();
    const { window, conversation, runId, engine } = await beginTeamOn(storage, { clock });
    await post(conversation, '@beta go');
    await engine.begun();
    await held;
    const told = clock.nextTimer();
    const seen = watch(conversation.close());
    // The turn is told to end, and its own time limit is gone.
    await told;
    while (!seen.isOver) {
      if (clock.isSet) clock.fire();
      await new Promise(setImmediate);
    }
    // Five seconds more than a turn may need to stop.
    expect(clock.elapsed()).toBe(12_000);
    expect(window.errors).toMatchObject([{ code: 'TEAM_DISPOSAL_TIMEOUT' }]);
    expect(memoryStorage(disk).runs.isHeld(runId)).toBe(false);
    release();
  });

  test('W28 a recovery that fails is told once, and the conversation opens', async () => {
    const disk = new MemoryDisk();
    const first = await beginTeamOn(memoryStorage(disk));
    await post(first.conversation, 'Go.');
    await first.engine.begun();
    await first.conversation.close();
    const whole = memoryStorage(disk);
    const head = async (stream: Parameters<typeof whole.eventStore.head>[0]) => {
      if (stream.streamId.includes('.m.')) throw new Error('broken');
      return whole.eventStore.head(stream);
    };
    const window = host({ ...whole, eventStore: { ...whole.eventStore, head } }, new HandEngine());
    const again = await Conversation.open(window, first.runId);
    onTestFinished(() => again.close());
    expect(window.errors).toMatchObject([{ message: 'broken' }]);
    // Its turn is open, and nobody runs it.
    expect(await status(again, 'lead')).toBe('idle');
    expect(await again.service.interrupt(again.service.person, 'beta')).toEqual({ previousStatus: 'inactive' });
  });
});

test('TEAM_BUSY A command is tried again 20 times, after pauses that differ, and then says that others keep writing', async () => {
  const clock = new HandClock();
  const tries: number[] = [];
  const record = { attempt: () => Promise.resolve((tries.push(clock.elapsed()), null)) };
  const busy = command({ record, clock }, () => []).catch((error: unknown) => error);
  for (let pause = 0; pause < 20; pause += 1) {
    await clock.nextTimer({ orSet: true });
    clock.fire();
  }
  expect(await busy).toMatchObject({ code: 'TEAM_BUSY' });
  expect(tries).toHaveLength(21);
  const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  expect(new Set(pauses).size).toBe(20);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(65);
});
