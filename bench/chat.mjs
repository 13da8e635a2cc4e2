// A team's chat: chains of turns, posts to long conversations, and the panel that shows them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/paths.mjs';
import { measurePanel } from './chat-panel.mjs';
import { measurePosts, measureTurns } from './chat-turns.mjs';

/** @returns {Promise<{ name: string, value: number, unit: string, goal: string | null, ok: boolean }[]>} */
export async function measure() {
  mkdirSync(join(root, 'out'), { recursive: true });
  const place = mkdtempSync(join(root, 'out', 'bench-'));
  try {
    return [
      ...turns(await measureTurns(place)),
      ...posts(await measurePosts(place)),
      ...panel(await measurePanel(place)),
    ];
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function turns({ ratio, perSecond, commitsPerTurn, bare, growth }) {
  return [
    atLeast('scripted turns, each woken by the one before, against their commits', ratio, '×', 0.6),
    figure('  turns', perSecond, '/s'),
    figure('  commits a turn', commitsPerTurn, ''),
    figure('  the same commits alone', bare, '/s'),
    atMost('time of a turn at turn 1 000 against turn 10', growth, '×', 1.2),
  ];
}

function posts({ ratio, short, long }) {
  return [
    atMost('one more post at 10 000 posts against 100', ratio, '×', 1.2),
    figure('  posting and routing at 100', short, 'ms'),
    figure('  posting and routing at 10 000', long, 'ms'),
  ];
}

function panel({ open, push, rows, frame }) {
  return [
    atMost('first post painted at 50 000 posts against 50', open.ratio, '×', 1.3),
    figure('  opened at 50', open.short, 'ms'),
    figure('  opened at 50 000', open.long, 'ms'),
    atMost('posts mounted', rows, '', 200),
    atMost('a post seen at 50 000 posts against 50', push.ratio, '×', 1.2),
    figure('  seen at 50', push.short, 'ms'),
    figure('  seen at 50 000', push.long, 'ms'),
    atMost('frame time while 200 tokens a second stream in, median against idle', frame.median, '×', 1.2),
    atMost('  95th percentile against idle', frame.p95, '×', 1.2),
    figure('  idle, median', frame.idle, 'ms'),
    figure('  streaming, 95th percentile', frame.streaming, 'ms'),
  ];
}

function figure(name, value, unit) {
  return { name, value, unit, goal: null, ok: true };
}

function atLeast(name, value, unit, goal) {
  return { name, value, unit, goal: `≥ ${goal}`, ok: value >= goal };
}

function atMost(name, value, unit, goal) {
  return { name, value, unit, goal: `≤ ${goal}`, ok: value <= goal };
}
