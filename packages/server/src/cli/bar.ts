/** Shows the progress of long operations: a bar on a terminal, and one line for each step elsewhere. */

export type Terminal = { write(text: string): unknown; readonly isTTY?: boolean | undefined }

export type Bar = {
  /** `share` is the completed fraction of the step, from 0 to 1. */
  show(step: string, share: number): void
  /** Removes the bar, so that further output starts on an empty line. */
  end(): void
}

const WIDTH = 30
const CLEAR = '\r\x1b[2K'

export function startBar(output: Terminal): Bar {
  return output.isTTY ? moving(output) : lines(output)
}

function moving(output: Terminal): Bar {
  let shown = ''
  return {
    show(step, share) {
      const full = Math.floor(share * WIDTH)
      const line = `${step} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(share * 100)}%`
      if (line === shown) return
      shown = line
      output.write(CLEAR + line)
    },
    end: () => void (shown !== '' && output.write(CLEAR)),
  }
}

function lines(output: Terminal): Bar {
  let shown = ''
  return {
    show(step) {
      if (step !== shown) output.write(`${step}\n`)
      shown = step
    },
    end() {},
  }
}
