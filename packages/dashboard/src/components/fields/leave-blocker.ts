/** Blocks navigation that would lose input. */
import { useBlocker, useRouter } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import type { KeptInput } from './kept-input.ts'

type Place = { readonly pathname: string; readonly search: unknown }

/** Query parameters that open a form or the page around it. All others may change. */
const PARAMS = ['tab', 'new', 'user', 'function', 'customer', 'ban'] as const

export function useLeaveBlocker(kept: KeptInput) {
  const isLossy = useSyncExternalStore(kept.subscribe, kept.isLossy)
  useLinksOfRouter(isLossy)
  return useBlocker({
    // Typing a URL triggers the GO action, which cannot be reverted. Kept input is not lost.
    shouldBlockFn: ({ current, next, action }) => action !== 'GO' && kept.isLossy() && isLeft(current, next),
    disabled: !isLossy,
    enableBeforeUnload: kept.isLossy,
    withResolver: true,
  })
}

function isLeft(from: Place, to: Place): boolean {
  const paramOf = ({ search }: Place, name: string) => (search as Record<string, unknown>)[name]
  return from.pathname !== to.pathname || PARAMS.some((name) => paramOf(from, name) !== paramOf(to, name))
}

/** Sends plain links through the router, because the router cannot revert the browser's own navigation. */
function useLinksOfRouter(isNeeded: boolean): void {
  const { history } = useRouter()
  useEffect(() => {
    if (!isNeeded) return
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const href = link?.getAttribute('href')
      const isPlain =
        event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      if (!(href?.startsWith('#/') && isPlain) || link?.target === '_blank') return
      event.preventDefault()
      history.push(href.slice(1))
    }
    document.addEventListener('click', follow, { capture: true })
    return () => document.removeEventListener('click', follow, { capture: true })
  }, [isNeeded, history])
}
