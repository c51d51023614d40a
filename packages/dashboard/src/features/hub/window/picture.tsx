/** The key window as customers see it, scaled to fit the page. */
import {
  IMAGE_STYLE,
  type Instance,
  type Picture,
  picturesOf,
  TEXT_STYLE,
} from '@scriptward/client/window-picture'
import { type RefObject, useLayoutEffect, useRef } from 'react'
import { text } from '../../../messages/text.ts'
import styles from './window.module.css'

type Props = { readonly gui: Instance; readonly viewport: readonly [width: number, height: number] }

export function WindowPicture({ gui, viewport: [width, height] }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  useScale(frame, width)
  const pictures = picturesOf(gui)
  return (
    <div
      ref={frame}
      className={styles.frame}
      style={{ aspectRatio: `${width} / ${height}`, maxWidth: width }}
    >
      <div
        role="img"
        aria-label={text.keyWindow.pictureOf(pictures.flatMap(wordsIn).join(' · '))}
        className={styles.screen}
        style={{ width, height }}
      >
        {pictures.map(draw)}
      </div>
    </div>
  )
}

function draw({ style, text: words, image, inside }: Picture, key: number) {
  return (
    <div key={key} style={style}>
      {words && (
        <p style={words.style}>
          <bdi style={TEXT_STYLE}>{words.words}</bdi>
        </p>
      )}
      {image !== undefined && <Logo image={image} />}
      {inside.map(draw)}
    </div>
  )
}

/** Shows a placeholder for game assets, because only the game can show them. */
function Logo({ image }: { image: string }) {
  if (image.startsWith('data:')) return <img src={image} alt="" style={IMAGE_STYLE} />
  return <span className={styles.asset}>{text.keyWindow.logo}</span>
}

function wordsIn({ text: words, inside }: Picture): readonly string[] {
  return [...(words?.words ? [words.words] : []), ...inside.flatMap(wordsIn)]
}

function useScale(frame: RefObject<HTMLElement | null>, width: number): void {
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const fit = () => element.style.setProperty('--scale', String(element.clientWidth / width))
    fit()
    const resized = new ResizeObserver(fit)
    resized.observe(element)
    return () => resized.disconnect()
  }, [frame, width])
}
