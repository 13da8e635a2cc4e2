// The panel: an editor tab with the team's rooms. There is at most one in a window; it survives a reload by its
// serializer, and a killed extension host by being made again in the place of the orphan.
import * as vscode from 'vscode';
import { PANEL_VIEW_TYPE } from './contributions.js';
import { messageOf } from './errors.js';
import { PanelHost, type PanelHostOptions } from './panel-host.js';
import { panelHtml, panelRoots } from './panel-html.js';

/** How long a tab may be in front without its panel before it counts as an orphan, in milliseconds. */
const ORPHAN_MS = 1_000;

export interface TeamPanelOptions extends PanelHostOptions {
  readonly extensionUri: vscode.Uri;
}

export class TeamPanel implements vscode.Disposable, vscode.WebviewPanelSerializer {
  readonly #options: TeamPanelOptions;
  #panel: vscode.WebviewPanel | null = null;
  #host: PanelHost | null = null;
  #watch: vscode.Disposable | null = null;
  #orphanCheck: NodeJS.Timeout | null = null;

  constructor(options: TeamPanelOptions) {
    this.#options = options;
  }

  /** Shows the panel, in its own place when it is open already. */
  show(): void {
    if (this.#panel !== null) this.#panel.reveal();
    else this.#create(panelTabs(), vscode.ViewColumn.Active, false);
  }

  /** Shows the panel in a new window, unless the window brings its own back. */
  showAtStart(): void {
    if (this.#panel === null && panelTabs().length === 0) this.show();
  }

  /** Tells an open panel that another room was chosen elsewhere. */
  openRoom(): void {
    this.#host?.showRoom();
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
    this.#watch?.dispose();
    if (this.#orphanCheck !== null) clearTimeout(this.#orphanCheck);
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
      this.#panel = null;
      this.#host = null;
    });
    panel.webview.html = panelHtml(panel.webview, extensionUri);
  }
}

/** The tabs of ours that are on screen or behind others, whether a panel stands behind them or not. */
function panelTabs(): vscode.Tab[] {
  const viewType = `mainThreadWebview-${PANEL_VIEW_TYPE}`;
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType === viewType);
}
