/** The keyboard shortcuts that there are. */
import { Dialog } from '../components/overlays/dialog.tsx'
import { text } from '../messages/text.ts'
import { MOD } from './modifier-key.ts'

const t = text.frame
const SHORTCUTS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [[`${MOD} K`], t.shortcutPalette],
  [['/'], t.shortcutSearch],
  [['?'], t.shortcutHelp],
  [['↑', '↓'], t.shortcutChoose],
  [['Enter'], t.shortcutOpen],
  [['Esc'], t.shortcutClose],
  [[`${MOD} F`], t.shortcutFind],
  [[`${MOD} Z`], t.shortcutUndo],
]

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t.shortcuts} onClose={onClose}>
      <dl className="facts-list">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={does} className="fact">
            <dt>
              {keys.map((key) => (
                <span key={key}>
                  <kbd>{key}</kbd>{' '}
                </span>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
