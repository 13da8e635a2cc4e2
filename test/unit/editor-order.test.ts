// What the editor's parts do one after the other, whatever order they are asked in.
import { describe, expect, test } from 'vitest';
import { Drafts } from '../../src/editor/drafts.js';
import { once } from '../../src/editor/once.js';
import { OnlyOne } from '../../src/editor/only-one.js';
import { panelPolicy } from '../../src/editor/panel-policy.js';
import { PictureOrder } from '../../src/editor/picture-order.js';
import { RunnerWatch } from '../../src/editor/runner-watch.js';
import type { RunnerPlace } from '../../src/runtime/tenure.js';

describe('The one open conversation', () => {
  /** Opens and closes when the test says so, and writes down what it did. */
  function lab() {
    const log: string[] = [];
    const steps: (() => void)[] = [];
    let count = 0;
    let fails = false;
    const hold = () => new Promise<void>((resolve) => steps.push(resolve));
    const one = new OnlyOne<number>({
      open: async () => {
        const id = ++count;
        log.push(`open ${id}`);
        await hold();
        if (fails) throw new Error(`cannot open ${id}`);
        log.push(`opened ${id}`);
        return id;
      },
      opened: (id) => log.push(`shown ${id}`),
      close: async (id) => {
        log.push(`close ${id}`);
        await hold();
        log.push(`closed ${id}`);
      },
    });
    /** Lets everything that waits end, and what follows from it. */
    const goOn = async (): Promise<void> => {
      for (let quiet = 0; quiet < 20; quiet += 1) {
        if (steps.length > 0) quiet = 0;
        steps.shift()?.();
        await Promise.resolve();
      }
    };
    return { log, one, goOn, fail: (value: boolean) => void (fails = value) };
  }

  test('It is opened once for all who ask at the same time', async () => {
    const { log, one, goOn } = lab();
    const asked = [one.open(), one.open()];
    expect(one.current).toBeNull();
    await goOn();
    expect(await Promise.all(asked)).toEqual([1, 1]);
    expect(await one.open()).toBe(1);
    expect(log).toEqual(['open 1', 'opened 1', 'shown 1']);
  });

  test('One that is being opened is closed after it is open, and the next who asks gets another after that', async () => {
    const { log, one, goOn } = lab();
    const first = one.open();
    const closing = one.close();
    const second = one.open();
    await goOn();
    await closing;
    expect([await first, await second]).toEqual([1, 2]);
    expect(one.current).toBe(2);
    expect(log).toEqual(['open 1', 'opened 1', 'shown 1', 'close 1', 'closed 1', 'open 2', 'opened 2', 'shown 2']);
  });

  test('An opening that fails is told to all who wait, and takes nothing from the one that is opened after it', async () => {
    const { log, one, goOn, fail } = lab();
    fail(true);
    const first = [one.open(), one.open()];
    const results = Promise.allSettled(first);
    await goOn();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fail(false);
    const second = one.open();
    const third = one.open();
    await goOn();
    expect([await second, await third, one.current]).toEqual([2, 2, 2]);
    expect(log).toEqual(['open 1', 'open 2', 'opened 2', 'shown 2']);
  });

  test('While another one is prepared nobody opens anything; when that fails the old one stays open', async () => {
    const { log, one, goOn } = lab();
    const first = one.open();
    await goOn();
    await first;
    const prepared = Promise.withResolvers<undefined>();
    const failed = one.close(() => prepared.promise);
    const asked = one.open();
    await goOn();
    expect(log.splice(0)).toEqual(['open 1', 'opened 1', 'shown 1']);
    prepared.reject(new Error('no team'));
    await expect(failed).rejects.toThrow('no team');
    await goOn();
    expect(await asked).toBe(1);
    expect(log).toEqual([]);
  });
});

describe('A picture and the changes meanwhile', () => {
  const picture = (revision: number, runId = 'run') => ({ revision, conversation: { runId } });

  test('WV-8 a picture that a change has overtaken is made again before it is sent', async () => {
    const order = new PictureOrder();
    const sent: number[] = [];
    let made = 0;
    await order.send(
      () => {
        made += 1;
        // The turn ends while the first picture is being made.
        if (made === 1) order.pushed('run', 11);
        return Promise.resolve(picture(made === 1 ? 10 : 11));
      },
      ({ revision }) => sent.push(revision),
    );
    expect(sent).toEqual([11]);
  });

  test('changes of another conversation do not count, and one that never ends does not keep the panel waiting', async () => {
    const order = new PictureOrder();
    const sent: number[] = [];
    order.pushed('other', 100);
    await order.send(
      () => Promise.resolve(picture(10)),
      ({ revision }) => sent.push(revision),
    );
    let to = 10;
    const make = () => {
      order.pushed('run', to + 1);
      return Promise.resolve(picture(to++));
    };
    await order.send(make, ({ revision }) => sent.push(revision));
    expect(sent).toEqual([10, 14]);
  });
});

describe('Drafts', () => {
  /** As the editor's: what is written can be read at once, and is on disk later. */
  function memento(kept: Record<string, unknown> = {}) {
    return {
      get: (key: string, otherwise?: unknown) => (kept[key] ?? otherwise) as never,
      update: (key: string, value: unknown) => {
        kept[key] = value;
        return Promise.resolve();
      },
    };
  }

  test('WV-9 two drafts that are written while the conversation is being opened are both kept', async () => {
    const drafts = new Drafts(memento());
    const conversation = Promise.resolve({ runId: 'run' });
    await Promise.all([drafts.write(conversation, 'main', 'one'), drafts.write(conversation, 'side', 'two')]);
    expect(drafts.of('run')).toEqual({ main: 'one', side: 'two' });
    await drafts.write(conversation, 'main', '');
    expect(drafts.of('run')).toEqual({ side: 'two' });
    expect(drafts.of('ru')).toEqual({});
  });

  test('of drafts of other conversations the oldest give way, those of this one never', async () => {
    const drafts = new Drafts(memento());
    const run = (id: string) => Promise.resolve({ runId: id });
    await drafts.write(run('mine'), 'main', 'first of all');
    for (let count = 0; count < 60; count += 1) await drafts.write(run(`run-${count}`), 'main', 'x');
    await drafts.write(run('mine'), 'side', 'last');
    const kept = Array.from({ length: 60 }, (_, count) => `run-${count}`).filter((id) => 'main' in drafts.of(id));
    expect(kept).toHaveLength(49);
    expect(kept[0]).toBe('run-11');
    expect(drafts.of('mine')).toEqual({ side: 'last' });
  });

  test('a conversation writes as many drafts as it has rooms', async () => {
    const drafts = new Drafts(memento());
    const conversation = Promise.resolve({ runId: 'run' });
    for (let room = 0; room < 55; room += 1) await drafts.write(conversation, `room-${room}`, 'x');
    expect(Object.keys(drafts.of('run'))).toHaveLength(55);
  });
});

describe('Who runs the conversation', () => {
  function lab(first: RunnerPlace) {
    const seen = { place: first as RunnerPlace | Error, isShown: true, asked: 0, gone: 0, errors: 0 };
    const watch = new RunnerWatch({
      place: () => {
        seen.asked += 1;
        if (seen.place instanceof Error) throw seen.place;
        return seen.place;
      },
      isShown: () => seen.isShown,
      onGone: () => void (seen.gone += 1),
      onError: () => void (seen.errors += 1),
    });
    return { seen, watch };
  }

  test.each(['here', 'nobody'] as const)('nothing is asked again while it is "%s"', (place) => {
    const { seen, watch } = lab(place);
    expect(watch.place()).toBe(place);
    watch.look();
    expect(seen).toMatchObject({ asked: 1, gone: 0 });
  });

  test('while another window runs it, it is asked as long as somebody sees it, until that window is gone', () => {
    const { seen, watch } = lab('elsewhere');
    watch.place();
    watch.look();
    seen.isShown = false;
    watch.look();
    expect(seen).toMatchObject({ asked: 2, gone: 0 });
    seen.isShown = true;
    seen.place = 'nobody';
    watch.look();
    watch.look();
    expect(seen).toMatchObject({ asked: 3, gone: 1 });
  });

  test('a window that goes after one part of the screen was told of it, and before another was, is told as gone', () => {
    const { seen, watch } = lab('elsewhere');
    watch.place();
    seen.place = 'nobody';
    watch.place();
    watch.look();
    expect(seen.gone).toBe(1);
  });

  test('what cannot be told is what was seen last, and is reported', () => {
    const { seen, watch } = lab('elsewhere');
    watch.place();
    seen.place = new Error('the disk is gone');
    expect(watch.place()).toBe('elsewhere');
    expect(seen.errors).toBe(1);
  });
});

describe('Something that is made once', () => {
  test('is made for the first who asks, again after it failed, and again after it is forgotten', async () => {
    let made = 0;
    let fails = true;
    const thing = once(() => {
      made += 1;
      return fails ? Promise.reject(new Error('no folder')) : Promise.resolve(made);
    });
    await expect(thing.get()).rejects.toThrow('no folder');
    fails = false;
    expect(await Promise.all([thing.get(), thing.get()])).toEqual([2, 2]);
    thing.forget();
    expect(await thing.get()).toBe(3);
    expect(made).toBe(3);
  });

  test('one that fails late does not take away what was made after it was forgotten', async () => {
    const late = Promise.withResolvers<number>();
    const answers = [late.promise, Promise.resolve(2)];
    const thing = once(() => answers.shift() ?? Promise.resolve(3));
    const first = thing.get();
    thing.forget();
    expect(await thing.get()).toBe(2);
    late.reject(new Error('late'));
    await expect(first).rejects.toThrow('late');
    expect(await thing.get()).toBe(2);
  });
});

test('WX-1 The panel’s page has no other base, sends no form, and runs one script', () => {
  const policy = panelPolicy('https://it.example', 'abc').split('; ');
  for (const one of [`default-src 'none'`, `base-uri 'none'`, `form-action 'none'`, `script-src 'nonce-abc'`]) {
    expect(policy).toContain(one);
  }
  expect(policy.join()).not.toMatch(/unsafe|connect-src/);
});
