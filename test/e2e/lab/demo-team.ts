// What the demo team says: known, since scripts say it.
import type { ShownPost } from './team-panel.js';

export const SUGGESTION = 'Prepare a release note.';

/** The whole exchange that the suggested first post starts. */
export const RELEASE_NOTE: readonly ShownPost[] = [
  { who: 'You', to: '@Lead', text: SUGGESTION },
  { who: 'Lead', to: '@Writer', text: `@writer ${SUGGESTION}` },
  { who: 'Writer', to: '@Reviewer', text: `@reviewer Please review: ${SUGGESTION}` },
  { who: 'Reviewer', to: '@Writer', text: `@writer Reviewed team/writer/1/0: Please review: ${SUGGESTION}` },
  {
    who: 'Writer',
    to: '@Lead',
    text: `@lead Finished ${SUGGESTION}: Reviewed team/writer/1/0: Please review: ${SUGGESTION}`,
  },
  {
    who: 'Lead',
    to: '',
    text: `The release note is done. Writer reports: Finished ${SUGGESTION}: Reviewed team/writer/1/0: Please review: ${SUGGESTION}`,
  },
];

/** The file of the room after that exchange. */
export const RELEASE_NOTE_FILE = [
  `you [you/1/0]: ${SUGGESTION}`,
  `lead [team/lead/1/0] @writer: @writer ${SUGGESTION}`,
  `writer [team/writer/1/0] @reviewer: @reviewer Please review: ${SUGGESTION}`,
  `reviewer [team/reviewer/1/0] @writer: @writer Reviewed team/writer/1/0: Please review: ${SUGGESTION}`,
  `writer [team/writer/2/0] @lead: @lead Finished ${SUGGESTION}: Reviewed team/writer/1/0: Please review: ${SUGGESTION}`,
  `lead [team/lead/2/0]: The release note is done. Writer reports: Finished ${SUGGESTION}: Reviewed team/writer/1/0: Please review: ${SUGGESTION}`,
  '',
].join('\n');

/** How the lead's answer to "hello" begins. */
export const GREETING = /^Hello! I am Lead, and I lead this team with Writer and Reviewer\./;
