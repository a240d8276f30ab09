'use strict';
module.exports = {install: () => ({patched: false, warning: ''})};
