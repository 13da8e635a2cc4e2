// A part of the screen that is drawn again only when what it is given is another thing than before.
import { Component, type ComponentType, type JSX } from 'preact';

/** @param Part draws from its properties alone. */
export function memo<Props extends object>(Part: (props: Props) => JSX.Element): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isSame(this.props, next);
    }

    override render(): JSX.Element {
      return Part(this.props);
    }
  };
}

/** @returns true when both have the same values under the same names */
export function isSame(a: object, b: object): boolean {
  const before = new Map<string, unknown>(Object.entries(a));
  const after = Object.entries(b);
  return after.length === before.size && after.every(([key, value]) => before.has(key) && before.get(key) === value);
}
