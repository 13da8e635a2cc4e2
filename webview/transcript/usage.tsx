// What the conversation used, member by member, and what limits it: a few words in the head, the rest behind them.
import type { JSX } from 'preact';
import type { ConversationView, UsageView } from '../../src/protocol/view.js';
import { countWords } from '../reasoning/words.js';
import type { Panel } from '../store/panel.js';
import { Icon } from '../ui/icon.js';
import { Popup } from '../ui/popup.js';
import { limitWords, sourceWords } from './limit-words.js';
import { moneyWords, turnsWords } from './usage-words.js';

export function Usage({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const conversation = panel.conversation.value;
  if (conversation === null) return null;
  const { usage } = conversation;
  const words = usage.turns === 0 ? 'No turns yet' : `${moneyWords(usage)} · ${turnsWords(usage)}`;
  return (
    <Popup
      class="tool usage-button"
      label={`Usage and limits: ${words}`}
      role="dialog"
      face={
        <>
          <Icon id="pulse" />
          <span class="tool-words usage-words">{usage.turns === 0 ? 'Usage' : words}</span>
        </>
      }
    >
      {() => <Details conversation={conversation} />}
    </Popup>
  );
}

function Details({ conversation }: { readonly conversation: ConversationView }): JSX.Element {
  const { members, usage, limits } = conversation;
  const used = members.filter((member) => member.usage.turns > 0);
  return (
    <div class="facts">
      <h2 class="facts-title">Usage</h2>
      {usage.turns === 0 ? (
        <p class="quiet">Nothing was used yet.</p>
      ) : (
        <table class="usage-table">
          <thead class="hidden">
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Turns</th>
              <th scope="col">Tokens in and out</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {used.map(({ id, name, usage: own }) => (
              <UsageRow key={id} name={name} usage={own} />
            ))}
          </tbody>
          <tfoot>
            <UsageRow name="Together" usage={usage} />
          </tfoot>
        </table>
      )}
      {usage.unknownCost === 0 ? null : (
        <p class="quiet">
          The cost of {usage.unknownCost === usage.turns ? 'these turns' : turnsWords({ turns: usage.unknownCost })} is
          unknown{usage.unknownCost < usage.turns ? ': it comes on top (+).' : '.'}
        </p>
      )}
      {usage.mismatches === 0 ? null : (
        <p class="mismatch">
          <Icon id="warning" />
          <span>
            {turnsWords({ turns: usage.mismatches })} reported another cost than the price list. Both are kept, and the
            larger counts.
          </span>
        </p>
      )}
      <h2 class="facts-title">Limits</h2>
      <ul class="limits">
        {limits.map((limit) => (
          <li key={limit.key}>
            {limitWords(limit)} <span class="quiet">· {sourceWords(limit)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function UsageRow({ name, usage }: { readonly name: string; readonly usage: UsageView }): JSX.Element {
  const tokens = usage.inputTokens + usage.outputTokens;
  return (
    <tr>
      <th scope="row">
        <span class="usage-name">
          <span class="clip">{name}</span>
          {usage.mismatches === 0 ? null : (
            <span title={`${turnsWords({ turns: usage.mismatches })} reported another cost`}>
              <Icon id="warning" />
              <span class="hidden">, reported another cost</span>
            </span>
          )}
        </span>
      </th>
      <td>{turnsWords(usage)}</td>
      <td title="Tokens in and out">
        {tokens === 0 ? '–' : `${countWords(usage.inputTokens)} / ${countWords(usage.outputTokens)}`}
      </td>
      <td>{moneyWords(usage)}</td>
    </tr>
  );
}
