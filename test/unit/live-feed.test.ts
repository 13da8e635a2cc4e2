// How often the panel hears of what grows: pieces of running turns, and anything that many signals ask for.
import { describe, expect, test } from 'vitest';
import { LiveFeed } from '../../src/editor/live-feed.js';
import { Pace } from '../../src/editor/pace.js';
import type { LiveTextPiece } from '../../src/runtime/live-texts.js';
import { HandClock } from '../support/hand-clock.js';

function piece(from: number, text: string, position = 'team/ana/1'): LiveTextPiece {
  return { position, memberId: 'ana', roomId: 'room', from, text };
}

function feed() {
  const clock = new HandClock();
  const sent: LiveTextPiece[] = [];
  return { clock, sent, feed: new LiveFeed(clock, (one) => sent.push(one)) };
}

describe('The feed of live texts', () => {
  test('The first piece goes at once; those that follow go together, in order and whole', () => {
    const { clock, sent, feed: live } = feed();
    live.add(piece(0, 'a'));
    expect(sent).toEqual([piece(0, 'a')]);
    live.add(piece(1, 'b'));
    live.add(piece(2, 'c'));
    expect(sent).toHaveLength(1);
    clock.fire();
    expect(sent).toEqual([piece(0, 'a'), piece(1, 'bc')]);
    clock.fire();
    expect(clock.isSet).toBe(false);
  });

  test('However many members write, at most twenty messages a second go', () => {
    const { clock, sent, feed: live } = feed();
    for (let tick = 0; clock.elapsed() < 10_000; tick += 1) {
      for (const member of ['a', 'b', 'c']) live.add(piece(tick, '.', `team/${member}/1`));
      clock.fire();
    }
    expect(sent.length).toBeLessThanOrEqual((clock.elapsed() / 1_000) * 20 + 3);
    expect(sent.length).toBeGreaterThan(100);
  });

  test('A turn that has ended, and a picture that has it all, leave nothing to be sent', () => {
    const { clock, sent, feed: live } = feed();
    live.add(piece(0, 'a'));
    live.add(piece(1, 'b'));
    live.end('team/ana/1');
    clock.fire();
    live.add(piece(0, 'x', 'team/ben/1'));
    live.add(piece(1, 'y', 'team/ben/1'));
    live.clear();
    clock.fire();
    expect(sent.map(({ text }) => text)).toEqual(['a', 'x']);
  });

  test('A piece that does not follow the one before begins anew', () => {
    const { clock, sent, feed: live } = feed();
    live.add(piece(0, 'a'));
    live.add(piece(1, 'b'));
    live.add(piece(0, 'z'));
    clock.fire();
    expect(sent.at(-1)).toEqual(piece(0, 'z'));
  });
});

describe('A pace', () => {
  test('What is asked for many times is done at once and then once in its time', () => {
    const clock = new HandClock();
    const done: number[] = [];
    const pace = new Pace(clock, 250, () => done.push(clock.elapsed()));
    for (let ask = 0; ask < 5; ask += 1) pace.ask();
    expect(done).toEqual([0]);
    clock.fire();
    expect(done).toEqual([0, 250]);
    expect(clock.isSet).toBe(false);
    pace.ask();
    pace[Symbol.dispose]();
    expect(clock.isSet).toBe(false);
    pace.ask();
    expect(clock.isSet).toBe(false);
  });
});
