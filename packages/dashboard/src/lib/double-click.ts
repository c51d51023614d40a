/**
 * Ignores the rest of a double click whose first click has started a change. Its second click would change something
 * else: a toggle would switch back, and a closed dialog would pass it on to the page.
 */
let hasChanged = false

/** Called when a change starts. */
export function noteChange(): void {
  hasChanged = true
}

export function ignoreDoubleClicks(): void {
  const check = (event: MouseEvent) => {
    // The browser counts clicks that follow each other quickly at the same position.
    if (event.detail <= 1) hasChanged = false
    else if (hasChanged) {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  }
  addEventListener('click', check, { capture: true })
}
