// The panel: an editor tab with the team's rooms. There is at most one in a window; it survives a reload by its
// serializer, and a killed extension host by being made again in the place of the orphan.
import * as vscode from 'vscode';
import { MEMENTO, PANEL_VIEW_TYPE } from './contributions.js';
import { PanelHost, type PanelHostOptions } from './panel-host.js';
import { panelHtml, panelRoots } from './panel-html.js';

export interface TeamPanelOptions extends PanelHostOptions {
  readonly extensionUri: vscode.Uri;
}

export class TeamPanel implements vscode.Disposable, vscode.WebviewPanelSerializer {
  readonly #options: TeamPanelOptions;
  #panel: vscode.WebviewPanel | null = null;
  #host: PanelHost | null = null;

  constructor(options: TeamPanelOptions) {
    this.#options = options;
  }

  /** Shows the panel, in its own place when it is open already. */
  show(column: vscode.ViewColumn = vscode.ViewColumn.Active, preserveFocus = false): void {
    if (this.#panel !== null) {
      this.#panel.reveal(undefined, preserveFocus);
      return;
    }
    const title = vscode.l10n.t('Team');
    this.#adopt(vscode.window.createWebviewPanel(PANEL_VIEW_TYPE, title, { viewColumn: column, preserveFocus }, {}));
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
   * Mends what a killed host leaves behind: the tab stays, but its messages reach nobody. The same `sessionId` as at
   * the last activation tells a killed host from a reloaded window.
   */
  async mendOrphans(): Promise<void> {
    const { memento } = this.#options;
    const isSameWindow = memento.get<string>(MEMENTO.session) === vscode.env.sessionId;
    await memento.update(MEMENTO.session, vscode.env.sessionId);
    if (!isSameWindow || this.#panel !== null) return;
    const orphans = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isPanelTab);
    const [first] = orphans;
    if (first === undefined) return;
    const { viewColumn } = first.group;
    const wasActive = first.isActive;
    await vscode.window.tabGroups.close(orphans, true);
    this.show(viewColumn, !wasActive);
  }

  dispose(): void {
    // The tab itself is left to VS Code: a reload restores it through the serializer.
    this.#host?.dispose();
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

function isPanelTab({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType === `mainThreadWebview-${PANEL_VIEW_TYPE}`;
}
