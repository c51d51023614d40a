/** The key that shortcuts are pressed with, as it is written on the keyboard in front of this browser. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'
