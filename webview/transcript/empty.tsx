// A room in which nothing was said yet.
import type { JSX } from 'preact';
import type { Panel } from '../store/panel.js';
import { PlainButton } from '../ui/button.js';
import { Avatar, Icon } from '../ui/icon.js';
import { tintOf } from '../words.js';

export function EmptyRoom({ panel }: { readonly panel: Panel }): JSX.Element | null {
  const room = panel.room.value;
  const members = panel.members.value;
  const inRoom = panel.roomMembers.value;
  if (room === null) return null;
  const contact = inRoom.find((member) => member.id === room.contact);
  const suggestion = room.suggestion;
  return (
    <div class="empty">
      <div class="empty-faces" aria-hidden="true">
        {inRoom.slice(0, 5).map((member) => (
          <Avatar key={member.id} icon={member.icon} tint={tintOf(member.id, members)} />
        ))}
      </div>
      <h2 class="empty-title">Your team is ready</h2>
      <p class="empty-words">
        {contact === undefined ? 'Say what you need.' : `Say what you need, and ${contact.name} answers.`} Type{' '}
        <kbd class="kbd">@</kbd> to write to somebody in particular.
      </p>
      {suggestion === null ? null : (
        <PlainButton class="suggestion" onClick={() => panel.send(suggestion)}>
          <span>Post “{suggestion}”</span>
          <Icon id="arrow-right" />
        </PlainButton>
      )}
    </div>
  );
}
