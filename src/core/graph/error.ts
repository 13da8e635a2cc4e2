// The one error of the graph kernel: a definition, a graph type, a command or a plan that breaks its rules.
import type { GraphIssue } from './model.js';

/** What is wrong with a graph, as a list of `{code, path, message}`; `path` is a JSON pointer into the refused value. */
export class GraphValidationError extends Error {
  override readonly name = 'GraphValidationError';
  readonly issues: readonly GraphIssue[];

  /**
   * @param message - one sentence for a person.
   * @param issues - at least one; copied and frozen.
   */
  constructor(message: string, issues: readonly GraphIssue[]) {
    super(message);
    this.issues = Object.freeze(
      issues.map(({ code, path, message: text }) => Object.freeze({ code, path, message: text })),
    );
  }
}
