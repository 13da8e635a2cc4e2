// Pictures of the workspace: asked for by path when they come into view, shown from a blob of the bytes that came.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { HostMessage, PanelMessage } from '../../src/protocol/messages.js';
import type { ImageState } from '../transcript/node-actions.js';

/** The picture that was asked for longest ago is let go beyond this many. */
const MAX_IMAGES = 100;

const LOADING: ImageState = { kind: 'loading' };

export interface ImageDesk {
  /** What is known of a picture; the same signal for the same path. */
  readonly image: (path: string) => ReadonlySignal<ImageState>;
  /** Asks the host for the bytes, unless they are here or on their way. */
  readonly onImage: (path: string) => void;
  /** Takes in what the host says of a picture. */
  readonly hear: (message: HostMessage) => void;
  /** Lets all bytes go. */
  readonly dispose: () => void;
}

export function createImages(send: (message: PanelMessage) => void): ImageDesk {
  const images = new Map<string, Signal<ImageState>>();
  const asked = new Set<string>();

  const at = (path: string): Signal<ImageState> => {
    const known = images.get(path);
    if (known !== undefined) return known;
    const made = signal(LOADING);
    images.set(path, made);
    return made;
  };
  const put = (path: string, state: ImageState): void => {
    const image = at(path);
    if (image.peek().kind === 'shown') release(image.peek());
    image.value = state;
  };
  const tidy = (): void => {
    for (const [path, image] of images) {
      if (images.size <= MAX_IMAGES) return;
      if (asked.has(path)) continue;
      release(image.peek());
      image.value = LOADING;
      images.delete(path);
    }
  };
  return {
    image: at,
    onImage: (path) => {
      const image = at(path);
      // The last to be asked for is the last to go.
      images.delete(path);
      images.set(path, image);
      if (asked.has(path) || image.peek().kind === 'shown') return;
      asked.add(path);
      send({ type: 'image', path });
    },
    hear: (message) => {
      if (message.type !== 'image' || !asked.delete(message.path)) return;
      const { path, image } = message;
      if (image.kind === 'refused') put(path, { kind: 'refused', reason: image.reason });
      else put(path, shown(image.mime, image.base64));
      tidy();
    },
    dispose: () => {
      for (const image of images.values()) release(image.peek());
      images.clear();
    },
  };
}

/** @returns the bytes behind an address of this page; refused when they are none, or not a picture */
function shown(mime: string, base64: string): ImageState {
  if (!mime.startsWith('image/')) return { kind: 'refused', reason: 'It is not a picture.' };
  try {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    return { kind: 'shown', url: URL.createObjectURL(new Blob([bytes], { type: mime })) };
  } catch {
    return { kind: 'refused', reason: 'It did not arrive whole.' };
  }
}

function release(state: ImageState): void {
  if (state.kind === 'shown') URL.revokeObjectURL(state.url);
}
