// A block of code: its language, a button that copies it, and a box that scrolls by itself.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ToolButton } from '../ui/button.js';

/** How long the button says what it did, in milliseconds. */
const SAID_MS = 2000;

type Copied = 'no' | 'yes' | 'by hand';

const LABEL: Readonly<Record<Copied, string>> = {
  no: 'Copy code',
  yes: 'Copied',
  'by hand': 'Selected: press Ctrl+C or Cmd+C to copy',
};

export interface CodeBlockProps {
  /** As it stands behind the fence; empty for none. */
  readonly language: string;
  readonly text: string;
}

export function CodeBlock({ language, text }: CodeBlockProps): JSX.Element {
  const code = useRef<HTMLElement | null>(null);
  const copied = useSignal<Copied>('no');
  const state = copied.value;
  useEffect(() => {
    if (state === 'no') return;
    const timer = setTimeout(() => (copied.value = 'no'), SAID_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    void copyText(text, code.current).then((done) => (copied.value = done ? 'yes' : 'by hand'));
  };
  return (
    <figure class="code-block" aria-label={language === '' ? 'Code' : `Code, ${language}`}>
      <figcaption class="code-head">
        <span class="code-language clip" title={language}>
          {language}
        </span>
        <ToolButton label={LABEL[state]} icon={state === 'no' ? 'copy' : 'check'} onClick={copy} />
        <span class="hidden" role="status">
          {state === 'no' ? '' : LABEL[state]}
        </span>
      </figcaption>
      <pre tabIndex={0}>
        <code ref={code}>{text}</code>
      </pre>
    </figure>
  );
}

/** @returns false when the clipboard is closed to us; then the code is selected, and one key copies it */
async function copyText(text: string, shown: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown !== null) getSelection()?.selectAllChildren(shown);
    return false;
  }
}
