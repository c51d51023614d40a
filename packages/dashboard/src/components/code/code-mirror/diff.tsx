/** The diff view, loaded on demand by `code-diff.tsx`. */
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import styles from '../code-editor.module.css'
import type { CodeDiffProps } from './props.ts'
import { rootOf, setupOf } from './setup.ts'

const NARROW = '(max-width: 56rem)'
const COLLAPSED = { margin: 3, minSize: 6 }
/** Limits the computation for sources that have little in common. */
const EFFORT = { scanLimit: 500, timeout: 1000 }

export function Diff(given: CodeDiffProps) {
  const host = useRef<HTMLDivElement>(null)
  const { label, before, after } = given
  useEffect(() => {
    if (host.current === null) return
    const texts = { label, before, after }
    const root = rootOf(host.current)
    const made = matchMedia(NARROW).matches ? below(root, texts) : beside(root, texts)
    return () => made.destroy()
  }, [label, before, after])
  return <div ref={host} className={styles.host} />
}

function beside(root: ShadowRoot, { label, before, after }: CodeDiffProps): MergeView {
  const extensions = setupOf({ label, isReadOnly: true })
  const made = new MergeView({
    a: { doc: before, extensions },
    b: { doc: after, extensions },
    parent: root,
    root,
    gutter: true,
    collapseUnchanged: COLLAPSED,
    diffConfig: EFFORT,
  })
  made.dom.style.maxHeight = 'min(32rem, 70vh)'
  made.dom.style.overflow = 'auto'
  return made
}

/** Shows the diff in one column where there is no space for two. */
function below(root: ShadowRoot, { label, before, after }: CodeDiffProps): EditorView {
  const merge = unifiedMergeView({
    original: before,
    mergeControls: false,
    collapseUnchanged: COLLAPSED,
    diffConfig: EFFORT,
  })
  const extensions = [...setupOf({ label, isReadOnly: true }), merge]
  return new EditorView({ state: EditorState.create({ doc: after, extensions }), parent: root, root })
}
