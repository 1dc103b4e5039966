/** The first page only needs its theme. */
import { $, themeButton } from './ui.js';

themeButton($('theme'));
