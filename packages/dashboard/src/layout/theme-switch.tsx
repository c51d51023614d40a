import { Menu, MenuChoice } from '../components/overlays/menu.tsx'
import { chooseTheme, THEMES, useTheme } from '../lib/theme.ts'
import { text } from '../messages/text.ts'
import { Icon } from './icons.tsx'
import styles from './top-bar.module.css'

export function ThemeSwitch() {
  const chosen = useTheme()
  return (
    <div className={styles.theme}>
      <Menu label={text.frame.theme} button={<Icon name="theme" />}>
        <MenuChoice
          chosen={chosen}
          options={THEMES.map((theme) => [theme, text.frame.themes[theme]] as const)}
          onChoose={chooseTheme}
        />
      </Menu>
    </div>
  )
}
