// What can be done with one post.
import type { JSX } from 'preact';
import type { PostView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { Icon } from '../ui/icon.js';
import { MenuItem, Popup } from '../ui/popup.js';

export function PostMenu({ panel, post }: { readonly panel: Panel; readonly post: PostView }): JSX.Element {
  return (
    <Popup class="tool post-more" label="More Actions" role="menu" face={<Icon id="ellipsis" />}>
      {(close) => (
        <>
          <MenuItem
            label="Copy Text"
            icon="copy"
            onPick={() => {
              close();
              void copy(post.text);
            }}
          />
          <MenuItem
            label="Fork from Here"
            icon="repo-forked"
            onPick={() => {
              close();
              panel.flush();
              panel.tell({ type: 'fork', postId: post.id });
            }}
          />
          <MenuItem
            label="Open Room as Text"
            icon="go-to-file"
            onPick={() => {
              close();
              panel.tell({ type: 'openAsText', roomId: post.roomId });
            }}
          />
        </>
      )}
    </Popup>
  );
}

/** As it was written. Where the clipboard is closed to us, by the page's own old way. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const onCopy = (event: ClipboardEvent): void => {
      event.preventDefault();
      event.clipboardData?.setData('text/plain', text);
    };
    document.addEventListener('copy', onCopy);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way that needs no permission
    document.execCommand('copy');
    document.removeEventListener('copy', onCopy);
  }
}
