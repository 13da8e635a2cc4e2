// What a post looks like: a closed tree that the host makes of its text. The panel draws these kinds and no others, so
// nothing that somebody wrote can become markup, a request or a script there.
import * as v from 'valibot';

/** How deep objects stand in each other at most; what is nested deeper is shown as it was written. */
export const MAX_TREE_DEPTH = 32;
/** How many objects a tree has at most; a text that needs more is shown as it was written. */
export const MAX_TREE_NODES = 50_000;
/** Longest address of a link, in UTF-16 units. */
export const MAX_ADDRESS_LENGTH = 2048;

/** Where a link leads: a page of the web, or a file of the workspace. Both are requests to the host. */
export type LinkTarget =
  | { readonly kind: 'web'; readonly url: string }
  | {
      readonly kind: 'file';
      /** Relative to a workspace folder, with `/`, without `..`. */
      readonly path: string;
      /** From 1. */
      readonly line?: number | undefined;
      /** What the address had behind `#`, where that is not just a line. */
      readonly anchor?: string | undefined;
    };

export type SafeInline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'strikethrough'; readonly children: readonly SafeInline[] }
  | {
      readonly kind: 'link';
      readonly target: LinkTarget;
      readonly title?: string | undefined;
      readonly children: readonly SafeInline[];
    }
  /** A picture on the web: a link to it, because loading it would tell somebody that it was read (WX-3). */
  | { readonly kind: 'remoteImage'; readonly url: string; readonly alt: string; readonly title?: string | undefined }
  /** A picture of the workspace; its bytes are asked for by path. */
  | { readonly kind: 'image'; readonly path: string; readonly alt: string; readonly title?: string | undefined }
  /** A mention that reached somebody; `text` as written, with the `@`. */
  | { readonly kind: 'mention'; readonly ids: readonly string[]; readonly text: string };

export interface SafeListItem {
  /** True or false for an item with a box to tick, null for any other. */
  readonly checked: boolean | null;
  readonly children: readonly SafeBlock[];
}

export type CellAlign = 'left' | 'center' | 'right' | null;

export type SafeBlock =
  /** A text may have newlines: they are shown. */
  | { readonly kind: 'paragraph'; readonly children: readonly SafeInline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly SafeInline[] }
  | { readonly kind: 'quote'; readonly children: readonly SafeBlock[] }
  | {
      readonly kind: 'list';
      readonly ordered: boolean;
      /** Number of the first item; 1 where the list is not ordered. */
      readonly start: number;
      /** True when its items follow each other without space. */
      readonly tight: boolean;
      readonly items: readonly SafeListItem[];
    }
  | {
      readonly kind: 'table';
      /** One for each column. */
      readonly align: readonly CellAlign[];
      readonly head: readonly (readonly SafeInline[])[];
      readonly rows: readonly (readonly (readonly SafeInline[])[])[];
    }
  /** `language` is what stands behind the opening fence, empty for none. */
  | { readonly kind: 'codeBlock'; readonly language: string; readonly text: string }
  | { readonly kind: 'rule' };

/** @returns true for an absolute https address in normal form, without a name or password before its host */
export function isWebUrl(url: string): boolean {
  return url.length <= MAX_ADDRESS_LENGTH && WEB_URL.test(url);
}

/**
 * Whether a path can only mean something below a workspace folder: relative, with `/`, no `..`, no scheme, nothing
 * invisible. Where it really leads, through symbolic links too, is looked up when it is opened.
 */
export function isWorkspacePath(path: string): boolean {
  if (path === '' || path.length > MAX_ADDRESS_LENGTH || path.startsWith('/') || !path.isWellFormed()) return false;
  return !NOT_IN_A_PATH.test(path) && !path.split('/').includes('..');
}

const WEB_URL = /^https:\/\/(?:[a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?[/?#][\x21-\x7e]*$/;
/** Schemes, drives and streams (`:`), Windows separators, what Windows forbids, controls, invisible and bidi marks. */
const NOT_IN_A_PATH = /[:\\<>"|?*\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const text = v.string();
const title = v.exactOptional(text);
const webUrl = v.pipe(text, v.check(isWebUrl));
const path = v.pipe(text, v.check(isWorkspacePath));
const line = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const children = v.array(v.lazy(() => Inline));
const blocks = v.array(v.lazy(() => Block));

const Target = v.variant('kind', [
  v.strictObject({ kind: v.literal('web'), url: webUrl }),
  v.strictObject({ kind: v.literal('file'), path, line: v.exactOptional(line), anchor: v.exactOptional(text) }),
]);

const Inline: v.GenericSchema<unknown, SafeInline> = v.variant('kind', [
  v.strictObject({ kind: v.literal('text'), text }),
  v.strictObject({ kind: v.literal('break') }),
  v.strictObject({ kind: v.literal('code'), text }),
  v.strictObject({ kind: v.picklist(['strong', 'emphasis', 'strikethrough']), children }),
  v.strictObject({ kind: v.literal('link'), target: Target, title, children }),
  v.strictObject({ kind: v.literal('remoteImage'), url: webUrl, alt: text, title }),
  v.strictObject({ kind: v.literal('image'), path, alt: text, title }),
  v.strictObject({ kind: v.literal('mention'), ids: v.pipe(v.array(text), v.minLength(1)), text }),
]);

const Block: v.GenericSchema<unknown, SafeBlock> = v.variant('kind', [
  v.strictObject({ kind: v.literal('paragraph'), children }),
  v.strictObject({ kind: v.literal('heading'), level: v.picklist([1, 2, 3, 4, 5, 6]), children }),
  v.strictObject({ kind: v.literal('quote'), children: blocks }),
  v.strictObject({
    kind: v.literal('list'),
    ordered: v.boolean(),
    start: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    tight: v.boolean(),
    items: v.array(v.strictObject({ checked: v.nullable(v.boolean()), children: blocks })),
  }),
  v.strictObject({
    kind: v.literal('table'),
    align: v.array(v.nullable(v.picklist(['left', 'center', 'right']))),
    head: v.array(children),
    rows: v.array(v.array(children)),
  }),
  v.strictObject({ kind: v.literal('codeBlock'), language: text, text }),
  v.strictObject({ kind: v.literal('rule') }),
]);

/** A whole post. Size and depth are looked at before anything else, since reading a tree goes as deep as it is. */
export const SafeTree: v.GenericSchema<unknown, readonly SafeBlock[]> = v.pipe(
  v.unknown(),
  v.check(isBounded, 'The tree is too deep or too large.'),
  v.array(Block),
);

/** Where a link may lead, for messages that name one. */
export const SafeTarget: v.GenericSchema<unknown, LinkTarget> = Target;

/** A path that a message may name. */
export const WorkspacePath: v.GenericSchema<unknown, string> = path;

function isBounded(tree: unknown): boolean {
  let level: unknown[] = [tree];
  let count = 0;
  // Arrays are looked through at the depth of what holds them; a tree has at most three around an object.
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_TREE_DEPTH) return false;
    const below: unknown[] = [];
    for (const value of level) {
      for (const one of objectsOf(value)) {
        count += 1;
        if (count > MAX_TREE_NODES) return false;
        for (const field of Object.values(one)) if (typeof field === 'object' && field !== null) below.push(field);
      }
    }
    level = below;
  }
  return true;
}

/** The objects that a field holds, itself or in arrays of arrays; deeper ones are no tree and left to the schema. */
function objectsOf(field: unknown): object[] {
  let values = [field];
  for (let wrapped = 0; wrapped < 3; wrapped += 1) {
    values = values.flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]));
  }
  return values.filter((value) => typeof value === 'object' && value !== null);
}
