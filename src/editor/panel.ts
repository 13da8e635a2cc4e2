// The panel: an editor tab with the team's rooms. There is at most one in a window; it survives a reload by its
// serializer, and a killed extension host by being made again in the place of the orphan.
import * as vscode from 'vscode';
import { COMMANDS, PANEL_VIEW_TYPE } from './contributions.js';
import { messageOf } from './errors.js';
import { PanelHost, type PanelHostOptions } from './panel-host.js';
import { panelHtml, panelRoots } from './panel-html.js';

/** How long a tab may be in front without its panel before it counts as an orphan, in milliseconds. */
const ORPHAN_MS = 1_000;

/** How long a panel on screen may stay silent, in milliseconds: then the person is told, and then it is made anew. */
const SILENCE_MS = 5_000;
/** How often that is tried by itself. */
const MAX_ATTEMPTS = 3;

export interface TeamPanelOptions extends PanelHostOptions {
  readonly extensionUri: vscode.Uri;
}

export class TeamPanel implements vscode.Disposable, vscode.WebviewPanelSerializer {
  readonly #options: TeamPanelOptions;
  readonly #shown: vscode.Disposable;
  #panel: vscode.WebviewPanel | null = null;
  #host: PanelHost | null = null;
  #watch: vscode.Disposable | null = null;
  #orphanCheck: NodeJS.Timeout | null = null;
  #silenceCheck: NodeJS.Timeout | null = null;
  /** Panels in a row that never said that they were ready. */
  #silent = 0;

  constructor(options: TeamPanelOptions) {
    this.#options = options;
    this.#shown = options.session.shownBy(() => this.#panel?.visible === true);
  }

  /**
   * Shows the panel, in its own place when it is open already.
   * @param roomId the room to be shown; without one the panel keeps its own
   */
  show(roomId: string | null = null): void {
    if (this.#panel !== null) this.#panel.reveal();
    else this.#create(panelTabs(), vscode.ViewColumn.Active, false);
    if (roomId !== null) this.#host?.showRoom(roomId);
  }

  /**
   * Puts a text at the caret of the composer, in the panel that is open or in one that is opened for it.
   * @param roomId the room to be shown; without one the panel keeps its own
   */
  insert(text: string, roomId: string | null = null): void {
    // One that is behind another tab is only coming back: it hears nothing until it has asked for its picture.
    const isShown = this.#panel?.visible === true;
    this.show(roomId);
    this.#host?.insert(text, isShown);
  }

  /** Opens the form of the team in the panel; see `insert`. */
  configureTeam(): void {
    const isShown = this.#panel?.visible === true;
    this.show();
    this.#host?.openTeamForm(isShown);
  }

  /** Opens the task board in the panel, at a task if one is named; see `insert`. */
  showBoard(taskId: string | null): void {
    const isShown = this.#panel?.visible === true;
    this.show();
    this.#host?.showBoard(taskId, isShown);
  }

  /** Shows the panel in a new window, unless the window brings its own back. */
  showAtStart(): void {
    if (this.#panel === null && panelTabs().length === 0) this.show();
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    // One conversation, one panel: a second tab of an earlier window has nothing of its own to show.
    if (this.#panel !== null) panel.dispose();
    else this.#adopt(panel);
    return Promise.resolve();
  }

  /**
   * Mends what a killed host leaves behind: the tab stays, but its messages reach nobody and it is not restored. A tab
   * of a reloaded window is restored as soon as it is in front, so one that stands there longer without its panel is an
   * orphan. (`env.sessionId` would tell the two apart at once, but it is one and the same for ever where telemetry is
   * off.)
   */
  mendOrphans(): void {
    const look = (): void => {
      if (this.#panel === null && panelTabs().some(({ isActive }) => isActive)) {
        this.#orphanCheck ??= setTimeout(() => this.#replaceOrphan(), ORPHAN_MS);
      }
    };
    this.#watch ??= vscode.window.tabGroups.onDidChangeTabs(look);
    look();
  }

  dispose(): void {
    this.#shown.dispose();
    this.#watch?.dispose();
    if (this.#orphanCheck !== null) clearTimeout(this.#orphanCheck);
    if (this.#silenceCheck !== null) clearTimeout(this.#silenceCheck);
    // The tab itself is left to VS Code: a reload restores it through the serializer.
    this.#host?.dispose();
  }

  #replaceOrphan(): void {
    this.#orphanCheck = null;
    const tabs = panelTabs();
    const front = tabs.find(({ isActive }) => isActive);
    if (this.#panel === null && front !== undefined) this.#create(tabs, front.group.viewColumn, true);
  }

  /** Makes the panel, and closes the tabs whose place it takes: after it, so that their group does not close with them. */
  #create(instead: readonly vscode.Tab[], viewColumn: vscode.ViewColumn, preserveFocus: boolean): void {
    const title = vscode.l10n.t('Team');
    this.#adopt(vscode.window.createWebviewPanel(PANEL_VIEW_TYPE, title, { viewColumn, preserveFocus }, {}));
    if (instead.length === 0) return;
    vscode.window.tabGroups
      .close(instead, true)
      .then(undefined, (error: unknown) => this.#options.log.warn(messageOf(error)));
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const { extensionUri } = this.#options;
    this.#panel = panel;
    // A restored panel still names the roots of the extension version that made it.
    panel.webview.options = { enableScripts: true, localResourceRoots: panelRoots(extensionUri) };
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'panel-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'panel-dark.svg'),
    };
    const host = new PanelHost(panel.webview, this.#options);
    this.#host = host;
    panel.onDidDispose(() => {
      host.dispose();
      if (this.#panel !== panel) return;
      this.#panel = null;
      this.#host = null;
    });
    panel.onDidChangeViewState(() => {
      if (!panel.visible) host.hidden();
      this.#expectReady(panel, host);
    });
    panel.webview.html = panelHtml(panel.webview, extensionUri);
    this.#expectReady(panel, host);
  }

  /** A page that VS Code could not load stays blank without a word: that is said, and it is made anew after a while. */
  #expectReady(panel: vscode.WebviewPanel, host: PanelHost): void {
    if (this.#silenceCheck !== null) clearTimeout(this.#silenceCheck);
    this.#silenceCheck = null;
    if (host.isReady || !panel.visible) return;
    const look = (after: () => void): NodeJS.Timeout =>
      setTimeout(() => {
        this.#silenceCheck = null;
        if (this.#panel !== panel || !panel.visible) return;
        if (host.isReady) this.#silent = 0;
        else after();
      }, SILENCE_MS);
    this.#silenceCheck = look(() => {
      this.#sayBlank(panel, host);
      if (this.#silent < MAX_ATTEMPTS) this.#silenceCheck = look(() => this.#remake(panel, host));
    });
  }

  #remake(panel: vscode.WebviewPanel, host: PanelHost): void {
    this.#silent += 1;
    this.#options.log.warn(`The panel stayed silent and is made anew (${this.#silent} of ${MAX_ATTEMPTS}).`);
    const column = panel.viewColumn ?? vscode.ViewColumn.Active;
    this.#panel = null;
    this.#create([], column, !panel.active);
    const { roomId, text } = host.wanted;
    if (roomId !== null) this.#host?.showRoom(roomId);
    if (text !== null) this.#host?.insert(text, false);
    panel.dispose();
  }

  /** Said once while it is being tried, and once more when trying has not helped. */
  #sayBlank(panel: vscode.WebviewPanel, host: PanelHost): void {
    if (this.#silent > 0 && this.#silent < MAX_ATTEMPTS) return;
    const { l10n } = vscode;
    const again = l10n.t('Reload Panel');
    const text = l10n.t('Open as Text');
    const reload = l10n.t('Reload Window');
    const message = l10n.t(
      'VS Code did not load the team panel. The conversation goes on; its rooms can be read as text.',
    );
    const first = this.#silent === 0 ? again : reload;
    void vscode.window.showWarningMessage(message, first, text).then(async (picked) => {
      if (picked === text) await vscode.commands.executeCommand(COMMANDS.openRoomFile);
      if (picked === reload) await vscode.commands.executeCommand('workbench.action.reloadWindow');
      if (picked === again && this.#panel === panel && !host.isReady) this.#remake(panel, host);
    });
  }
}

/** The tabs of ours that are on screen or behind others, whether a panel stands behind them or not. */
function panelTabs(): vscode.Tab[] {
  const viewType = `mainThreadWebview-${PANEL_VIEW_TYPE}`;
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType === viewType);
}
