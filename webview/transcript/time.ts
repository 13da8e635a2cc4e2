// Time as a reader wants it. Pure: the clock, the language and the zone are given.

/** How and where a person reads time. `zone` undefined means the machine's own. */
export interface Reader {
  readonly locale: string | undefined;
  readonly zone: string | undefined;
}

/** @returns hours and minutes, e.g. "14:05" */
export function clock(at: string, reader: Reader): string {
  return format(at, reader, { hour: '2-digit', minute: '2-digit' });
}

/** @returns date and time to the second, for a tooltip */
export function absolute(at: string, reader: Reader): string {
  return format(at, reader, { dateStyle: 'full', timeStyle: 'medium' });
}

/** @returns a key that two moments share when they fall on the same day of the reader, e.g. "2026-08-03" */
export function dayKey(at: string, reader: Reader): string {
  return format(at, { ...reader, locale: 'sv-SE' }, { year: 'numeric', month: '2-digit', day: '2-digit' });
}

/** @param now milliseconds since the epoch. @returns "Today", "Yesterday" or the date */
export function dayLabel(at: string, now: number, reader: Reader): string {
  const day = dayKey(at, reader);
  if (day === dayKey(new Date(now).toISOString(), reader)) return 'Today';
  if (day === previousDay(dayKey(new Date(now).toISOString(), reader))) return 'Yesterday';
  return format(at, reader, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}

/** @param now milliseconds since the epoch. @returns how long ago, short: "12 s", "3 min", "2 h" */
export function elapsed(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return '';
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function previousDay(key: string): string {
  // Noon, so that no change of the clocks moves it to another day.
  return new Date(Date.parse(`${key}T12:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

function format(at: string, reader: Reader, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return formatter(reader, options).format(date);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(reader: Reader, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([reader.locale, reader.zone, options]);
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const zone = reader.zone === undefined ? {} : { timeZone: reader.zone };
  const made = new Intl.DateTimeFormat(reader.locale, { hourCycle: 'h23', ...options, ...zone });
  formatters.set(key, made);
  return made;
}
