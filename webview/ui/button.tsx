// Buttons. Text buttons are the component library's; icon and row buttons are our own, because they have layout.
import { provideVSCodeDesignSystem, vsCodeButton } from '@vscode/webview-ui-toolkit';
import type { ComponentChildren, HTMLAttributes, JSX } from 'preact';
import { Icon } from './icon.js';

provideVSCodeDesignSystem().register(vsCodeButton());

declare module 'preact' {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- how Preact's element types are extended
  namespace JSX {
    interface IntrinsicElements {
      'vscode-button': HTMLAttributes & { appearance?: 'primary' | 'secondary'; disabled?: boolean };
    }
  }
}

export interface ButtonProps {
  readonly label: string;
  readonly icon?: string;
  readonly primary?: boolean;
  readonly disabled?: boolean;
  readonly title?: string;
  readonly onClick: () => void;
}

/** A button with words. */
export function Button({ label, icon, primary = false, disabled = false, title, onClick }: ButtonProps): JSX.Element {
  return (
    <vscode-button
      class="button"
      appearance={primary ? 'primary' : 'secondary'}
      disabled={disabled}
      onClick={() => {
        if (!disabled) onClick();
      }}
      {...(title === undefined ? {} : { title })}
    >
      {icon === undefined ? null : <Icon id={icon} slot="start" />}
      {label}
    </vscode-button>
  );
}

export interface ToolButtonProps {
  readonly label: string;
  readonly icon: string;
  /** `true` shows the words beside the icon where there is room for them. */
  readonly words?: boolean;
  /** It keeps the focus all the same, so that a keyboard does not lose its place. */
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A quiet button of a toolbar; its words are its tooltip and its name. */
export function ToolButton({ label, icon, words = false, disabled = false, onClick }: ToolButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="tool"
      title={label}
      aria-label={label}
      onClick={() => {
        if (!disabled) onClick();
      }}
      {...(disabled ? { 'aria-disabled': true } : {})}
    >
      <Icon id={icon} />
      {words ? <span class="tool-words">{label}</span> : null}
    </button>
  );
}

export interface PlainButtonProps {
  readonly class: string;
  readonly title?: string;
  readonly current?: boolean;
  readonly expanded?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
  readonly onClick: () => void;
}

/** A button that looks like what stands in it: a row of a list, a card. */
export function PlainButton(props: PlainButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={props.class}
      onClick={props.onClick}
      {...(props.title === undefined ? {} : { title: props.title })}
      {...(props.label === undefined ? {} : { 'aria-label': props.label })}
      {...(props.current === true ? { 'aria-current': 'true' as const } : {})}
      {...(props.expanded === undefined ? {} : { 'aria-expanded': props.expanded })}
    >
      {props.children}
    </button>
  );
}
