// What the nodes of a post ask for.
import type { ReadonlySignal } from '@preact/signals';
import type { LinkTarget } from '../../src/protocol/safe-node.js';

/** A picture of the workspace, on its way to the panel. `url` is a `blob:` of bytes that the host has checked. */
export type ImageState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown'; readonly url: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** The functions should be the same ones at each drawing. */
export interface NodeActions {
  /** Somebody wants to see what a link leads to. */
  readonly onOpen: (target: LinkTarget) => void;
  /** A picture is about to be drawn: asks for its bytes, once per mount. */
  readonly onImage: (path: string) => void;
  /** What is known of a picture; the same signal for the same path. */
  readonly image: (path: string) => ReadonlySignal<ImageState>;
}
