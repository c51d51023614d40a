import { type RefObject, useLayoutEffect } from 'react'

/** Detects whether the table is wider than its container, and keeps the header visible if it is. */
export function useWideFrame(frame: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = frame.current
    const table = element?.querySelector('table')
    if (!element || !table) return
    const place = () => {
      element.toggleAttribute('data-wide', table.offsetWidth > element.clientWidth)
      element.style.setProperty('--above', `${-element.getBoundingClientRect().top}px`)
    }
    place()
    const resized = new ResizeObserver(place)
    resized.observe(element)
    resized.observe(table)
    addEventListener('scroll', place, { passive: true })
    return () => {
      resized.disconnect()
      removeEventListener('scroll', place)
    }
  }, [frame])
}
