// Notices that this program is to end: by Ctrl+C, by a signal, or because the npm that started it is gone (npm passes
// SIGTERM to a shell that does not pass it on).
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @param {(signal: NodeJS.Signals) => void} callback called each time; what it does is up to it
 * @returns {() => void} stops looking
 */
export function onAskedToEnd(callback) {
  for (const signal of SIGNALS) process.on(signal, callback);
  const parent = process.ppid;
  // Only below npm: a script that was put into the background by hand may outlive its shell.
  const timer = process.env.npm_lifecycle_event
    ? setInterval(() => {
        if (process.ppid === parent) return;
        clearInterval(timer);
        callback('SIGTERM');
      }, 1000).unref()
    : undefined;
  return () => {
    clearInterval(timer);
    for (const signal of SIGNALS) process.removeListener(signal, callback);
  };
}
