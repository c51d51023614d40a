/** The draft in this tab: from the link, from before a reload, or from the first example. */
import { useEffect, useState } from 'react'
import { type Draft, defaultPreset } from './draft.ts'
import { EXAMPLES } from './examples.ts'
import { draftIn, isDraft, isShared } from './share.ts'

/** Session storage belongs to one tab, so other tabs don't overwrite the draft. */
const KEPT = 'playground'

const FIRST: Draft = { source: EXAMPLES.shop, preset: defaultPreset, target: 'any', seed: '1', switched: [] }

export function useDraft() {
  const [draft, setDraft] = useState(kept)
  const [isDamaged, setIsDamaged] = useState(false)
  useEffect(() => keep(draft), [draft])
  useEffect(() => {
    const open = async () => {
      if (!isShared(location.hash)) return setIsDamaged(false)
      const shared = await draftIn(location.hash)
      setIsDamaged(shared === null)
      if (shared !== null) setDraft(shared)
    }
    void open()
    addEventListener('hashchange', open)
    return () => removeEventListener('hashchange', open)
  }, [])
  const change = (changes: Partial<Draft>) => {
    // Removes the link from the address bar, because it no longer matches the page.
    if (location.hash !== '') history.replaceState(null, '', location.pathname)
    setIsDamaged(false)
    setDraft((before) => ({ ...before, ...changes }))
  }
  return { draft, change, isDamaged }
}

function kept(): Draft {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null')
    return isDraft(value) ? value : FIRST
  } catch {
    return FIRST
  }
}

function keep(draft: Draft): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(draft))
  } catch {
    // Without storage, the draft is lost when the page is closed.
  }
}
