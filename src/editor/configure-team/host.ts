// The host's side of the form: finds the file of a team, makes the form from it, and writes what was changed. It keeps
// nothing between two messages, so that a form outlives a killed host.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { isSlug } from '../../core/team/slug.js';
import { type TeamFile, TeamFileError } from '../../core/team/team-file.js';
import type { HostMessage, PanelMessage } from '../../protocol/messages.js';
import type { FormProblem, SaveTeam, TeamForm } from '../../protocol/team-form.js';
import type { EngineList } from '../engines.js';
import { messageOf, NoFolderError, openAtProblem, RestrictedError, TeamFileProblem } from '../errors.js';
import { readLimitSettings } from '../limit-settings.js';
import { teamFilePath, teamFileUri } from '../team-files.js';
import { editTeamFile } from './edit.js';
import { changesOf, generalProblem, placeProblem, teamFormOf } from './form.js';

/** What the form needs of the open conversation. */
export interface FormConversation {
  /** The team that is in force. */
  readonly team: TeamFile;
  /** @throws TeamError `MEMBER_BUSY` */
  changeTeam(text: string): Promise<void>;
}

/** What the form needs of the window's session. */
export interface FormSession {
  readonly current: { readonly conversation: FormConversation } | null;
  open(): Promise<{ readonly conversation: FormConversation }>;
  openToAct(): Promise<FormConversation>;
}

export interface TeamFormHostOptions {
  readonly session: FormSession;
  readonly engines: EngineList;
  readonly extensionUri: vscode.Uri;
}

export type TeamFormMessage = Extract<PanelMessage, { type: 'configureTeam' | 'saveTeam' | 'showTeamFile' }>;

/** True for the messages that `TeamFormHost` answers. */
export function isTeamFormMessage(message: PanelMessage): message is TeamFormMessage {
  return message.type === 'configureTeam' || message.type === 'saveTeam' || message.type === 'showTeamFile';
}

/** The text that a form is made from, and where it is or will be. */
interface TeamSource {
  readonly text: string;
  /** Null where there is no file yet. */
  readonly uri: vscode.Uri | null;
  readonly place: TeamForm['place'];
}

export class TeamFormHost {
  readonly #options: TeamFormHostOptions;

  constructor(options: TeamFormHostOptions) {
    this.#options = options;
  }

  /**
   * Answers a message of the form.
   * @throws RestrictedError, NoFolderError and what opening the conversation throws, for `configureTeam`; a refused
   * `saveTeam` is answered.
   */
  async handle(message: TeamFormMessage, send: (answer: HostMessage) => void): Promise<void> {
    switch (message.type) {
      case 'configureTeam':
        return this.#open(send);
      case 'showTeamFile': {
        const { uri } = await this.#find(message.teamId);
        if (uri !== null) await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside });
        return;
      }
      case 'saveTeam':
        try {
          await this.#save(message, send);
          return;
        } catch (error) {
          send(refusal(message.teamId, [generalProblem(messageOf(error))]));
        }
    }
  }

  async #open(send: (answer: HostMessage) => void): Promise<void> {
    mayConfigure();
    const { team } = (await this.#options.session.open()).conversation;
    const source = await this.#find(team.id);
    try {
      send({ type: 'teamForm', form: this.#form(team.id, source) });
    } catch (error) {
      if (!(error instanceof TeamFileError) || source.uri === null) throw error;
      await offerToMend(new TeamFileProblem(source.uri, error));
    }
  }

  async #save(asked: SaveTeam, send: (answer: HostMessage) => void): Promise<void> {
    const { teamId } = asked;
    mayConfigure();
    const source = await this.#find(teamId);
    const before = this.#form(teamId, source);
    if (before.stamp !== asked.stamp) {
      const words = vscode.l10n.t(
        'The file was changed meanwhile. What was changed there has been taken over here, and your changes are kept. Look it through, then save again.',
      );
      send(refusal(teamId, [generalProblem(words)], before));
      return;
    }
    if (isDirty(source.uri)) {
      const words = vscode.l10n.t('{path} has changes in an editor that are not saved. Save or revert them first.', {
        path: before.place.path,
      });
      send(refusal(teamId, [generalProblem(words)]));
      return;
    }
    let text: string;
    try {
      ({ text } = editTeamFile(source.text, teamId, changesOf(before, asked)));
    } catch (error) {
      if (!(error instanceof TeamFileError)) throw error;
      const problems = error.issues.map((issue) => placeProblem(issue, asked.members));
      send(refusal(teamId, problems));
      return;
    }
    const uri = source.uri ?? (await chooseUri(teamId));
    if (uri === null) {
      send(refusal(teamId, [generalProblem(vscode.l10n.t('Nothing was saved: no folder was chosen.'))]));
      return;
    }
    if (source.uri === null || text !== source.text) await write(uri, text);
    const path = vscode.workspace.asRelativePath(uri);
    if (asked.apply === 'running') {
      const reason = await this.#apply(teamId, text);
      if (reason !== null) {
        const saved: TeamSource = { text, uri, place: { kind: 'file', path } };
        const words = vscode.l10n.t('{path} is saved. The open conversation goes on as it was: {reason}', {
          path,
          reason,
        });
        send(refusal(teamId, [generalProblem(words)], this.#form(teamId, saved)));
        return;
      }
    }
    send({ type: 'teamFormSaved', teamId });
    const words =
      asked.apply === 'running'
        ? vscode.l10n.t('{path} is saved, and the open conversation goes on with it.', { path })
        : vscode.l10n.t('{path} is saved. Conversations that begin from now on use it.', { path });
    void vscode.window.showInformationMessage(words);
  }

  /** Gives the open conversation the team. @returns why it was not done, null when it was */
  async #apply(teamId: string, text: string): Promise<string | null> {
    try {
      const conversation = await this.#options.session.openToAct();
      if (conversation.team.id !== teamId) return vscode.l10n.t('another team is in it.');
      await conversation.changeTeam(text);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** @throws TeamFileError when the text cannot be used. */
  #form(teamId: string, { text, uri, place }: TeamSource): TeamForm {
    const { session, engines } = this.#options;
    const open = session.current?.conversation.team;
    const problems: FormProblem[] = [];
    if (isDirty(uri)) {
      const words = vscode.l10n.t(
        '{path} has changes in an editor that are not saved. They are not in this form: save or revert them first.',
        { path: place.path },
      );
      problems.push(generalProblem(words));
    }
    return teamFormOf(text, teamId, {
      stamp: createHash('sha256').update(text).digest('hex'),
      place,
      inForce: open?.id === teamId ? open.canonicalText : '',
      settings: readLimitSettings(),
      engines: engines.all.map(({ id, label }) => ({ id, label })),
      problems,
    });
  }

  /** The team's file in the workspace, else the demo team, else the team as the open conversation has it. */
  async #find(teamId: string): Promise<TeamSource> {
    const { extensionUri, session } = this.#options;
    if (!isSlug(teamId)) throw new Error(vscode.l10n.t('There is no team {team}.', { team: JSON.stringify(teamId) }));
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const uri = teamFileUri(folder.uri, teamId);
      const text = await read(uri);
      if (text !== null) return { text, uri, place: { kind: 'file', path: vscode.workspace.asRelativePath(uri) } };
    }
    const path = teamFilePath(teamId);
    const demo = await read(vscode.Uri.joinPath(extensionUri, 'examples', `${teamId}.team.json`));
    if (demo !== null) return { text: demo, uri: null, place: { kind: 'new', path, from: 'demo' } };
    const { team } = (await session.open()).conversation;
    if (team.id !== teamId) throw new Error(vscode.l10n.t('The file of the team {team} is gone.', { team: teamId }));
    const text = `${JSON.stringify(JSON.parse(team.canonicalText), null, 2)}\n`;
    return { text, uri: null, place: { kind: 'new', path, from: 'conversation' } };
  }
}

/** @throws where no team file may be written. */
function mayConfigure(): void {
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) throw new NoFolderError();
  if (!vscode.workspace.isTrusted) throw new RestrictedError();
}

function refusal(teamId: string, problems: FormProblem[], form: TeamForm | null = null): HostMessage {
  return { type: 'teamFormRefused', teamId, problems, form };
}

/** @returns the text of a file as it is, with its byte order mark; null when there is none */
async function read(uri: vscode.Uri): Promise<string | null> {
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return null;
    throw error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const path = vscode.workspace.asRelativePath(uri);
    throw new Error(vscode.l10n.t('{path} is not UTF-8 text. Save it with that encoding first.', { path }));
  }
}

async function write(uri: vscode.Uri, text: string): Promise<void> {
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
}

function isDirty(uri: vscode.Uri | null): boolean {
  const name = uri?.toString();
  return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === name);
}

/** Where a team that has no file gets one: in the only folder, else in the one that the person picks. */
async function chooseUri(teamId: string): Promise<vscode.Uri | null> {
  const [only, ...more] = vscode.workspace.workspaceFolders ?? [];
  const placeHolder = vscode.l10n.t('The folder that gets the team file');
  const folder = more.length === 0 ? only : await vscode.window.showWorkspaceFolderPick({ placeHolder });
  return folder === undefined ? null : teamFileUri(folder.uri, teamId);
}

/** A file that is no usable team is mended as a text. */
async function offerToMend(problem: TeamFileProblem): Promise<void> {
  const open = vscode.l10n.t('Open File');
  if ((await vscode.window.showErrorMessage(problem.message, open)) === open) await openAtProblem(problem);
}
