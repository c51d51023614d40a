/** Adds the draft to the URL and copies the link. */
import { useState } from 'react'
import { copyText } from '../lib/copy-text.ts'
import { playgroundText as words } from '../messages/en/playground.ts'
import type { Draft } from './draft.ts'
import styles from './playground.module.css'
import { hashOf } from './share.ts'

export function Share({ draft }: { draft: Draft }) {
  const [said, setSaid] = useState<{ readonly draft: Draft; readonly text: string }>()
  const share = async () => {
    const hash = await hashOf(draft)
    if (hash === null) return setSaid({ draft, text: words.notShared })
    history.replaceState(null, '', hash)
    setSaid({ draft, text: (await copyText(location.href)) ? words.shared : words.notCopied })
  }
  return (
    <div className="bar">
      <button type="button" onClick={share}>
        {words.share}
      </button>
      <span className={`hint ${styles.said}`} role="status">
        {said?.draft === draft ? said.text : ''}
      </span>
    </div>
  )
}
