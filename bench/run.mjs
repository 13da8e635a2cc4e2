// npm run bench [-- <name>… --json]: measures, each figure against its yardstick in the same run.
import '../scripts/from-source.mjs';

const BENCHES = { store: './store.mjs', chat: './chat.mjs' };

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. The benches: ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(2);
}
let ok = true;
for (const name of names.length === 0 ? Object.keys(BENCHES) : names) {
  const { measure } = await import(BENCHES[name]);
  const metrics = await measure();
  ok &&= metrics.every((metric) => metric.ok);
  if (words.includes('--json')) console.log(JSON.stringify({ name, metrics }));
  else print(name, metrics);
}
process.exitCode = ok ? 0 : 1;

function print(name, metrics) {
  console.log(`${name}\n`);
  for (const { name: what, value, unit, goal, ok: met } of metrics) {
    const figure = `${value >= 100 ? Math.round(value) : value.toPrecision(3)} ${unit}`;
    console.log(
      `${what.padEnd(58)}${figure.padStart(18)}   ${goal === null ? '' : `${goal} ${met ? '✓' : '✗ missed'}`}`,
    );
  }
}
