// How long ago something was, short.
import { dayKey, type Reader } from '../transcript/time.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * @param at ISO timestamp
 * @param now milliseconds since the epoch
 * @returns e.g. "just now", "5 min ago", "2 h ago", "3 days ago"; the date when it is longer ago than a month
 */
export function ago(at: string, now: number, reader: Reader): string {
  const passed = now - Date.parse(at);
  if (Number.isNaN(passed)) return at;
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  const days = Math.floor(passed / DAY);
  if (days > 30) return dayKey(at, reader);
  return days === 1 ? '1 day ago' : `${days} days ago`;
}
