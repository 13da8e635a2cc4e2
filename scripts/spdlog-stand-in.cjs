// Stands in for the native logger of the VS Code server, which is not compiled here. Without it no log file is written
// and every log output channel stays empty. Each name is its own `exports.x = …`, because `import` sees no others.
const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');

const NAMES = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'off'];
let common = 2;

class Logger {
  constructor(_name, file) {
    this.file = file;
    this.level = common;
    this.plain = false;
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, '');
  }
  write(level, message) {
    if (level < this.level) return;
    const now = new Date().toISOString().replace('T', ' ').replace('Z', '');
    appendFileSync(this.file, this.plain ? message : `${now} [${NAMES[level]}] ${message}\n`);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  setPattern() {
    this.plain = false;
  }
  clearFormatters() {
    this.plain = true;
  }
  flush() {}
  drop() {}
}
NAMES.slice(0, 6).forEach((name, level) => {
  Logger.prototype[name] = function (message) {
    this.write(level, message);
  };
});

exports.version = 0;
exports.setLevel = (level) => {
  common = level;
};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger(name, file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger(name, file);
