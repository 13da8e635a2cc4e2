// Says what is going on: a step that takes longer than a second shows itself, a short one stays silent.
const out = process.stderr;

/**
 * Runs one step and shows it when it lasts.
 *
 * @template T
 * @param {string} label what is done, in the present tense: `Building the extension`
 * @param {() => Promise<T>} work the step
 * @returns {Promise<T>} what the step returns; its error passes through unchanged
 */
export async function step(label, work) {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  let shown = 0;
  const timer = setInterval(() => {
    if (out.isTTY) out.write(`\r\u001b[K${label} … ${seconds()} s`);
    else if (shown === 0) out.write(`${label} …\n`);
    else if (shown % 15 === 0) out.write(`${label} … ${seconds()} s\n`);
    shown += 1;
  }, 1000);
  const end = (word) => {
    clearInterval(timer);
    if (shown > 0) out.write(`${out.isTTY ? '\r\u001b[K' : ''}${label}: ${word} after ${seconds()} s\n`);
  };
  try {
    const result = await work();
    end('done');
    return result;
  } catch (error) {
    end('failed');
    throw error;
  }
}

/**
 * One line for the person who waits, apart from the program's own output.
 *
 * @param {string} line
 */
export function say(line) {
  out.write(`${line}\n`);
}
