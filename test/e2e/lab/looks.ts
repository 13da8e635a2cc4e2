// What can be measured of how a panel looks: text that runs out of it, and text that is hard to read.
import type { Frame } from 'playwright-core';

// Text, not functions: they run in the page, whose types are not those of the tests. The colours are painted on a
// canvas, which understands every notation and lays half transparent ones over each other as the screen does.
const MEASURE = `(() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  const paint = (colour, alpha) => {
    brush.globalAlpha = alpha;
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
  };
  const luminance = () => {
    const [red, green, blue] = [...brush.getImageData(0, 0, 1, 1).data].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (element, pseudo) => {
    const chain = [];
    for (let one = element; one !== null; one = one.parentElement) chain.unshift(getComputedStyle(one));
    const opacity = chain.reduce((product, style) => product * Number(style.opacity), 1);
    paint('#fff', 1);
    for (const style of chain) paint(style.backgroundColor, 1);
    const behind = luminance();
    paint(getComputedStyle(element, pseudo).color, opacity);
    const text = luminance();
    return (Math.max(behind, text) + 0.05) / (Math.min(behind, text) + 0.05);
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const inView = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const name = (element) => element.tagName.toLowerCase() + '.' + element.className + ': ' + element.textContent.slice(0, 40);
  // What cannot be used just now may be faint.
  const isOff = (element) => element.closest('[disabled]') !== null;
  const texts = [...document.querySelectorAll('#teamroom-root *')].filter(
    (one) => hasText(one) && inView(one) && !isOff(one),
  );
  const wide = [...document.querySelectorAll('#teamroom-root *')].filter((one) => {
    const box = one.getBoundingClientRect();
    return inView(one) && (box.right > innerWidth + 1 || box.left < -1) && one.closest('.clip, .hidden, pre, .table-box') === null;
  });
  const faint = texts.map((one) => [contrast(one), name(one)]);
  for (const one of document.querySelectorAll('textarea')) faint.push([contrast(one, '::placeholder'), 'placeholder']);
  return {
    width: innerWidth,
    texts: texts.length,
    faint: faint.filter(([value]) => value < 4.5).map(([value, what]) => value.toFixed(2) + ' ' + what),
    wide: wide.map(name),
    scrolls: document.documentElement.scrollWidth > innerWidth,
  };
})()`;

export interface Looks {
  /** Of the panel, in CSS pixels. */
  readonly width: number;
  /** How many elements with text of their own were looked at. */
  readonly texts: number;
  /** Texts with less than 4.5 : 1 between their colour and what is behind them. */
  readonly faint: readonly string[];
  /** Elements that stand out of the panel at a side. */
  readonly wide: readonly string[];
  /** The panel as a whole scrolls sideways. */
  readonly scrolls: boolean;
}

export function measureLooks(frame: Frame): Promise<Looks> {
  return frame.evaluate<Looks>(MEASURE);
}
