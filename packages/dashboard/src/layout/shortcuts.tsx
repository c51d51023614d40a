import { Dialog } from '../components/overlays/dialog.tsx'
import { text } from '../messages/text.ts'
import { MODIFIER_KEY } from './modifier-key.ts'

const t = text.frame
const SHORTCUTS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [[`${MODIFIER_KEY} K`], t.shortcutPalette],
  [['/'], t.shortcutSearch],
  [['?'], t.shortcutHelp],
  [['↑', '↓'], t.shortcutChoose],
  [['Enter'], t.shortcutOpen],
  [['Esc'], t.shortcutClose],
  [['J', 'K'], t.shortcutRows],
  [['X'], t.shortcutSelect],
  [['E'], t.shortcutEdit],
  [[`${MODIFIER_KEY} F`], t.shortcutFind],
  [[`${MODIFIER_KEY} Z`], t.shortcutUndo],
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
