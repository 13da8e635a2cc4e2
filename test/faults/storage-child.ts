// A process that uses storage, to be killed, raced and filled up. Started by storage-process.ts with one JSON argument.
import fs, { rmSync, writeFileSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { runFile } from '../../src/storage/sqlite/files.js';
import { formatOf, migrate } from '../../src/storage/sqlite/migrations.js';
import { createLocalRunStorage } from '../../src/storage/sqlite/storage.js';
import { isStorageError } from '../../src/storage/error.js';
import { NEXT } from './storage-formats.js';
import { collect, event, NAMESPACE, policy, RUN } from '../contract/storage-fixture.js';

interface Order {
  readonly directory: string;
  readonly task: keyof typeof tasks;
  readonly name: string;
}

/** Written at once, so that nothing said is lost with the process. */
function say(what: unknown): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

function heard(): Promise<null> {
  return new Promise((resolve) => process.stdin.once('data', () => resolve(null)));
}

const tasks = {
  /** Appends until it is killed, one or three events at a time, and says each revision that was acknowledged. */
  async append({ directory, name }: Order) {
    const { eventStore } = open(directory);
    let revision = (await collect(eventStore)).length;
    for (;;) {
      const batch = Array.from({ length: revision % 2 === 0 ? 1 : 3 }, (_, index) =>
        event(`${name}-${revision + index + 1}`, { text: 'x'.repeat(700) }),
      );
      revision = await eventStore.append(RUN, revision, batch);
      // As in a program that has more to do than to append.
      await new Promise((resolve) => setImmediate(resolve));
      say(revision);
    }
  },

  /**
   * Appends to a conversation and its member's stream, and kills itself with SIGKILL at the point that its name says,
   * in the third round. Says what was acknowledged: the revisions of both streams.
   */
  async dieAt({ directory, name }: Order) {
    const member = { ...RUN, streamId: 'run-1.m.1' };
    const point = { armed: false };
    const dieAt = (where: string): void => {
      if (point.armed && where === name) process.kill(process.pid, 'SIGKILL');
    };
    spyOnStatements(dieAt);
    const { eventStore } = open(directory);
    const heads = [await eventStore.head(RUN), await eventStore.head(member)] as [number, number];
    for (let round = 0; round < 3; round += 1) {
      const id = `${process.pid}-${round}`;
      heads[1] = await eventStore.append(member, heads[1], [event(`m-${id}`, 'y'.repeat(900))]);
      say(heads);
      point.armed = round === 2;
      dieAt('between the two streams');
      const batch = [event(`a-${id}`, 'x'.repeat(3_000)), event(`b-${id}`, 'x'.repeat(3_000))];
      heads[0] = await eventStore.append(RUN, heads[0], batch);
      dieAt('before the reply');
      say(heads);
    }
  },

  /** Appends as often as the other processes let it: folds again after each lost race. */
  async compete({ directory, name }: Order) {
    const { eventStore } = open(directory);
    say('ready');
    await heard();
    let revision = 0;
    for (let done = 0; done < 50;) {
      try {
        revision = await eventStore.append(RUN, revision, [event(`${name}-${done}`)]);
        done += 1;
      } catch (error) {
        if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
        revision = Number(error.details['actualRevision']);
      }
    }
    say('done');
  },

  /** Appends against another writer until it is killed, and says the id of each event that was acknowledged. */
  async contend({ directory, name }: Order) {
    const { eventStore } = open(directory);
    let revision = await eventStore.head(RUN);
    for (let count = 0; ; count += 1) {
      const id = `${name}-${count}`;
      for (let isIn = false; !isIn;) {
        try {
          revision = await eventStore.append(RUN, revision, [event(id, 'z'.repeat(500))]);
          isIn = true;
        } catch (error) {
          if (!isStorageError(error, 'REVISION_CONFLICT')) throw error;
          revision = Number(error.details['actualRevision']);
        }
      }
      say(id);
    }
  },

  /** Makes many small runs with many streams, and says when they are there. */
  async spread({ directory }: Order) {
    const { eventStore } = open(directory);
    for (let run = 1; run <= 10; run += 1) {
      for (let member = 1; member <= 10; member += 1) {
        await eventStore.append({ ...RUN, streamId: `run-${run}.m.${member}` }, 0, [event('a')]);
      }
      await eventStore.append({ ...RUN, streamId: `run-${run}` }, 0, [event('a')]);
    }
    say('done');
  },

  /** One append at revision 0, when told. */
  async race({ directory, name }: Order) {
    const { eventStore } = open(directory);
    say('ready');
    await heard();
    try {
      say({ won: await eventStore.append(RUN, 0, [event(name)]) });
    } catch (error) {
      if (!isStorageError(error)) throw error;
      say({ code: error.code, details: error.details });
    }
  },

  /** Uses everything and goes away without closing anything. */
  async leave({ directory }: Order) {
    const { eventStore, runs } = open(directory);
    runs.watch('run-1', () => say('called'));
    await eventStore.append(RUN, 0, [event('a')]);
    runs.tryHold('run-1');
    const reading = eventStore.read(RUN)[Symbol.asyncIterator]();
    await reading.next();
    say('left');
  },

  /** Deletes its storage while it is open, as A's program does, and then lives on for a while. */
  async remove({ directory }: Order) {
    const { eventStore, runs } = open(directory);
    runs.watch('run-1', () => undefined);
    await eventStore.append(RUN, 0, [event('a'), event('b')]);
    rmSync(directory, { recursive: true });
    say((await collect(eventStore)).length);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    say('alive');
  },

  /** Stands in the middle of a write of its own until it is told, or ended. */
  async lock({ directory }: Order) {
    const db = new DatabaseSync(runFile(directory, NAMESPACE, RUN.streamId));
    db.exec('BEGIN IMMEDIATE');
    say('locked');
    await heard();
    db.exec('ROLLBACK');
    db.close();
    say('unlocked');
  },

  /**
   * Brings a run's file to a later format, through a cache so small that pages go into the log before the commit, and
   * kills itself at the point that its name says.
   */
  migrate({ directory, name }: Order) {
    const db = new DatabaseSync(runFile(directory, NAMESPACE, RUN.streamId));
    db.exec('PRAGMA synchronous=FULL; PRAGMA cache_size=1; BEGIN IMMEDIATE');
    const last = name === 'between two steps' ? NEXT.length - 1 : NEXT.length;
    migrate(db, NEXT.slice(0, last));
    if (name === 'after the commit') db.exec('COMMIT');
    say(formatOf(db));
    process.kill(process.pid, 'SIGKILL');
  },

  /** Removes a run and kills itself before it unlinks the file that `name` says, counted from 1. */
  async dieRemoving({ directory, name }: Order) {
    const { eventStore, runs } = open(directory);
    await eventStore.append(RUN, 0, [event('a'), event('b')]);
    await runs.cache(RUN.streamId).write('kept');
    let count = 0;
    const remove = fs.rmSync;
    fs.rmSync = (...values) => {
      count += 1;
      if (count === Number(name)) process.kill(process.pid, 'SIGKILL');
      remove(...values);
    };
    syncBuiltinESMExports();
    await runs.remove(RUN.streamId);
    say('removed');
  },

  /** Builds a run and kills itself when two of its appends are done. */
  async dieBuilding({ directory }: Order) {
    await open(directory).runs.build(RUN.streamId, async (events) => {
      await events.append(RUN, 0, [event('a')]);
      await events.append(RUN, 1, [event('b')]);
      say('two appends');
      process.kill(process.pid, 'SIGKILL');
      await heard();
    });
  },

  async hold({ directory }: Order) {
    const hold = open(directory).runs.tryHold('run-1');
    say(hold === null ? 'refused' : 'held');
    await heard();
    hold?.[Symbol.dispose]();
    say('released');
    await heard();
  },

  /** Fills a small disk, makes room, and goes on. */
  async fill({ directory }: Order) {
    const ballast = join(directory, '..', 'ballast');
    writeFileSync(ballast, Buffer.alloc(300_000));
    const { eventStore } = open(directory);
    let revision = 0;
    try {
      for (;;) revision = await eventStore.append(RUN, revision, [event(`e${revision}`, 'x'.repeat(5_000))]);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      say({ revision, code: error.code, message: error.message, reason: error.details['reason'] });
    }
    say({ readable: (await collect(eventStore)).length });
    rmSync(ballast);
    revision = await eventStore.append(RUN, revision, [event('after', 'x'.repeat(5_000))]);
    say({ revision, readable: (await collect(eventStore)).length });
  },

  /** Writes until the system refuses the file's growth. */
  async outgrow({ directory }: Order) {
    const { eventStore } = open(directory);
    let revision = 0;
    try {
      for (;;) revision = await eventStore.append(RUN, revision, [event(`e${revision}`, 'x'.repeat(5_000))]);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      say({ revision, code: error.code, message: error.message });
    }
  },
};

/** Calls `at` around the statements of an append: SQLite itself runs unchanged. */
function spyOnStatements(at: (where: string) => void): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its database below
  const prepare = DatabaseSync.prototype.prepare;
  DatabaseSync.prototype.prepare = function (sql: string) {
    const statement = prepare.call(this, sql);
    const get = statement.get.bind(statement);
    const value = (...values: SQLInputValue[]) => {
      if (sql.startsWith('INSERT INTO event')) at('before the write');
      const result = get(...values);
      if (sql.startsWith('INSERT INTO event')) at('after the write');
      if (sql === 'COMMIT') at('after the commit');
      return result;
    };
    return Object.defineProperty(statement, 'get', { value });
  };
}

function open(directory: string) {
  return createLocalRunStorage({ directory, namespace: NAMESPACE, policy: policy() });
}

const order = JSON.parse(process.argv[2] ?? '') as Order;
await tasks[order.task](order);
process.stdin.pause();
