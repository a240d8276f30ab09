from tests.engine.training.conftest import every_picture as every_picture
