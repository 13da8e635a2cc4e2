// What the panel's page may load, run and reach: what comes from the extension, and nothing else.

/**
 * @param source where the extension's own files come from, as the editor names it
 * @param nonce of the one script that may run
 * @returns a Content-Security-Policy
 */
export function panelPolicy(source: string, nonce: string): string {
  return [
    `default-src 'none'`,
    // These two do not fall back to the default.
    `base-uri 'none'`,
    `form-action 'none'`,
    `style-src ${source}`,
    `font-src ${source}`,
    `img-src ${source} blob:`,
    `script-src 'nonce-${nonce}'`,
  ].join('; ');
}
