// The settings of the limits, read from the editor's configuration, and the warnings about those that cannot be used.
// Rules: docs/rules.md § Limits.
import * as vscode from 'vscode';
import {
  DEFAULT_LIMITS,
  effectiveLimits,
  LIMIT_KEYS,
  limitRule,
  type LimitKey,
  type LimitLevels,
  type LimitProblem,
  type LimitValues,
} from '../core/team/limits.js';
import type { ConversationSettings } from '../runtime/conversation-start.js';
import { SETTINGS } from './contributions.js';

const ACKNOWLEDGEMENTS = 'quiet';

export class LimitSettings implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listening: vscode.Disposable;
  /** Warnings that were given: a value is named once, until it is another. */
  readonly #named = new Set<string>();

  /** One of the settings was changed. */
  readonly onDidChange = this.#changed.event;

  /** Bad values are named at once, and whenever there are others. */
  constructor() {
    this.#warn();
    this.#listening = vscode.workspace.onDidChangeConfiguration((change) => {
      if (!OURS.some((key) => change.affectsConfiguration(`${SETTINGS.section}.${key}`))) return;
      this.#warn();
      this.#changed.fire();
    });
  }

  /** What the settings say now. */
  read(): ConversationSettings {
    const given = readAcknowledgements();
    return {
      limits: readLimitSettings(),
      acknowledgements: given === 'wake' || given === 'quiet' ? given : ACKNOWLEDGEMENTS,
    };
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changed.dispose();
  }

  #warn(): void {
    const warnings = effectiveLimits(readLimitSettings()).problems.map(limitWarning);
    const given = readAcknowledgements();
    if (given !== undefined && given !== 'quiet' && given !== 'wake') warnings.push(acknowledgementsWarning(given));
    for (const known of this.#named) if (!warnings.some(({ text }) => text === known)) this.#named.delete(known);
    for (const { key, text } of warnings) {
      if (this.#named.has(text)) continue;
      this.#named.add(text);
      void warn(key, text);
    }
  }
}

/** What the levels of the editor's configuration say of the limits, unchecked. */
export function readLimitSettings(): Required<Pick<LimitLevels, 'machine' | 'user' | 'workspace'>> {
  const configuration = vscode.workspace.getConfiguration(SETTINGS.section);
  const read = (of: (key: LimitKey) => unknown): LimitValues =>
    Object.fromEntries(LIMIT_KEYS.map((key) => [key, of(key)]));
  return {
    machine: read((key) => personal(configuration.inspect(SETTINGS[`maximum.${key}`]))),
    user: read((key) => personal(configuration.inspect(SETTINGS[key]))),
    workspace: read((key) => configuration.inspect(SETTINGS[key])?.workspaceValue),
  };
}

/**
 * The value that is the person's or the machine's. In a remote window both can have one, the machine's counts, and a key
 * of scope `machine` is read from the machine's settings only.
 */
function personal(found: object | undefined): unknown {
  const values: Readonly<Record<string, unknown>> = { ...found };
  return ['globalRemoteValue', 'globalValue', 'globalLocalValue']
    .map((level) => values[level])
    .find((value) => value !== undefined);
}

function readAcknowledgements(): unknown {
  return vscode.workspace.getConfiguration(SETTINGS.section).get(SETTINGS.acknowledgements);
}

const OURS: readonly string[] = [
  ...LIMIT_KEYS.flatMap((key) => [SETTINGS[key], SETTINGS[`maximum.${key}`]]),
  SETTINGS.acknowledgements,
];

interface Warning {
  /** The whole name of the setting. */
  readonly key: string;
  readonly text: string;
}

function limitWarning({ level, key, value }: LimitProblem): Warning {
  const { l10n } = vscode;
  const setting = `${SETTINGS.section}.${level === 'machine' ? SETTINGS[`maximum.${key}`] : SETTINGS[key]}`;
  const says = l10n.t('The setting {setting} is {value}. It takes {rule}.', { setting, value, rule: limitRule(key) });
  const instead = {
    user: () => l10n.t('Its default is in force: {value}.', { value: DEFAULT_LIMITS[key] ?? l10n.t('no limit') }),
    workspace: () => l10n.t('The value in the workspace’s settings is ignored.'),
    machine: () => l10n.t('It is ignored: this machine sets no maximum.'),
  };
  return { key: setting, text: `${says} ${instead[level]()}` };
}

function acknowledgementsWarning(given: unknown): Warning {
  const key = `${SETTINGS.section}.${SETTINGS.acknowledgements}`;
  const text = vscode.l10n.t(
    'The setting {setting} is {value}. It takes "quiet" or "wake". Its default is in force: "{instead}".',
    {
      setting: key,
      value: JSON.stringify(given),
      instead: ACKNOWLEDGEMENTS,
    },
  );
  return { key, text };
}

async function warn(key: string, text: string): Promise<void> {
  const open = vscode.l10n.t('Open Settings');
  const picked = await vscode.window.showWarningMessage(text, open);
  if (picked === open) await vscode.commands.executeCommand('workbench.action.openSettings', key);
}
