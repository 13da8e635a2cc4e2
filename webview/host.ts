// The way to the extension host and to VS Code's own memory of this panel.
import { parseHostMessage, type HostMessage, type PanelMessage } from '../src/protocol/messages.js';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** What the panel can do outside itself. */
export interface Host {
  send(message: PanelMessage): void;
  /** @param listener gets every message of the host that the protocol knows */
  listen(listener: (message: HostMessage) => void): void;
  read(): unknown;
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
    read: () => api.getState(),
    keep: (value) => api.setState(value),
  };
}
