// The way to the extension host and to VS Code's own memory of this panel.
import { parseHostMessage, type HostMessage, type PanelMessage } from '../src/protocol/messages.js';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Key of what a panel leaves for the next one of this window. */
const LEFT = 'teamroom.panel';

/** What the panel can do outside itself. */
export interface Host {
  send(message: PanelMessage): void;
  /** @param listener gets every message of the host that the protocol knows */
  listen(listener: (message: HostMessage) => void): void;
  /** What was kept last by this panel, else by the one that it replaces; undefined when there is nothing. */
  read(): unknown;
  /** @param value plain JSON */
  keep(value: unknown): void;
}

/** @returns the host of this webview. VS Code allows one call per load. */
export function connect(): Host {
  const api = acquireVsCodeApi();
  return {
    send: (message) => api.postMessage(message),
    listen: (listener) => {
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        const message = parseHostMessage(event.data);
        if (message !== null) listener(message);
        else console.warn('Teamroom: a message of the host was not understood and is ignored.');
      });
    },
    read: () => api.getState() ?? readLeft(),
    keep: (value) => {
      api.setState(value);
      leave(value);
    },
  };
}

/**
 * VS Code keeps state for one panel. One that is made in the place of an orphan, whose extension host died, is another:
 * what was typed or sent while nobody listened comes to it through the storage of the window that both stand in.
 */
function leave(value: unknown): void {
  try {
    sessionStorage.setItem(LEFT, JSON.stringify(value));
  } catch {
    // Full or forbidden: then only an orphan's last words are lost.
  }
}

function readLeft(): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(LEFT) ?? 'null');
  } catch {
    return undefined;
  }
}
