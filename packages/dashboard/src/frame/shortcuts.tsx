/** The keyboard shortcuts that there are. */
import { Dialog } from '../parts/dialog.tsx'
import { text } from '../text/text.ts'

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={text.frame.shortcuts} onClose={onClose}>
      <dl className="facts-list">
        <dt>
          <kbd>Ctrl K</kbd> <kbd>⌘ K</kbd>
        </dt>
        <dd>{text.frame.shortcutPalette}</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>{text.frame.shortcutHelp}</dd>
      </dl>
    </Dialog>
  )
}
