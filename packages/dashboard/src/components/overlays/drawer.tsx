/** A sheet at the side of the page, for one entry of a list. The list stays where it was. */
import { type ReactNode, useEffect, useState } from 'react'
import { text } from '../../messages/text.ts'
import { Dialog } from './dialog.tsx'
import styles from './drawer.module.css'
import { type Said, SayContext } from './toasts.tsx'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode }

const SHOWN_MS = 10_000

export function Drawer({ children, ...given }: Props) {
  const [said, setSaid] = useState<Said>()
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <Dialog {...given} isDrawer>
      <div role="status" className={styles.said}>
        {said && (
          <div className="notice good">
            <span>{said.title}</span>
            {said.undo && (
              <button type="button" onClick={said.undo}>
                {text.frame.undo}
              </button>
            )}
          </div>
        )}
      </div>
      <SayContext value={setSaid}>{children}</SayContext>
    </Dialog>
  )
}
