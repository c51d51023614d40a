/** The undo button of a toast. The result of the undo replaces the toast. */
import { useLayoutEffect, useRef } from 'react'
import { text } from '../../messages/text.ts'
import { errorMessages } from '../../queries/api.ts'

export type Toast = {
  readonly title: string
  /** Undoes the change, and may return a sentence about the result. */
  readonly undo?: () => Promise<unknown>
  readonly isPending?: boolean
}

type Props = { readonly undo: () => Promise<unknown>; readonly onToast: (toast: Toast) => void }

export function UndoButton({ undo, onToast }: Props) {
  const run = async () => {
    onToast({ title: text.frame.undoing, isPending: true })
    onToast(await resultOf(undo))
  }
  const latest = useRef(run)
  // Effects after the paint would miss a Ctrl+Z that is pressed as soon as the button is visible.
  useLayoutEffect(() => {
    latest.current = run
  })
  useLayoutEffect(() => offer(() => void latest.current()), [])
  return (
    <button type="button" aria-keyshortcuts="Control+Z Meta+Z" onClick={run}>
      {text.frame.undo}
    </button>
  )
}

/** A failed undo can be tried again. */
async function resultOf(undo: Props['undo']): Promise<Toast> {
  try {
    const said = await undo()
    return { title: typeof said === 'string' ? said : text.frame.undone }
  } catch (error) {
    return { title: text.frame.notUndone(errorMessages(error).join(' ')), undo }
  }
}

/** The undos of all visible toasts, newest last. */
const offered: (() => void)[] = []

/** Offers an undo. Returns a function that withdraws it. */
function offer(run: () => void): () => void {
  offered.push(run)
  return () => void offered.splice(offered.indexOf(run), 1)
}

/** Runs the undo of the latest toast; returns false if no toast offers an undo. */
export function undoNewest(): boolean {
  const newest = offered.at(-1)
  newest?.()
  return newest !== undefined
}
