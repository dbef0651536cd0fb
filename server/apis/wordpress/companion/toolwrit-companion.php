<?php
/**
 * Plugin Name: Toolwrit companion
 * Description: What the REST API of WordPress lacks for Toolwrit: activating a theme.
 * Version: 0.1.0
 * Requires at least: 6.0
 * Requires PHP: 7.4
 * License: MIT OR Apache-2.0
 */

defined('ABSPATH') || exit;

add_action('rest_api_init', static function () {
    register_rest_route('toolwrit/v1', '/themes/(?P<stylesheet>[^\/:<>\*\?"\|]+)/activate', [
        'methods'             => 'POST',
        'permission_callback' => static fn() => current_user_can('switch_themes'),
        'callback'            => static function (WP_REST_Request $request) {
            $theme = wp_get_theme($request['stylesheet']);
            if (!$theme->exists()) {
                return new WP_Error('rest_theme_not_found', 'Theme not found.', ['status' => 404]);
            }
            if ($theme->errors()) {
                return new WP_Error('rest_theme_broken', $theme->errors()->get_error_message(), ['status' => 400]);
            }
            $requirements = validate_theme_requirements($theme->get_stylesheet());
            if (is_wp_error($requirements)) {
                $requirements->add_data(['status' => 400]);
                return $requirements;
            }
            switch_theme($theme->get_stylesheet());
            return [
                'stylesheet'     => $theme->get_stylesheet(),
                'name'           => $theme->get('Name'),
                'status'         => 'active',
                'version'        => $theme->get('Version'),
                'is_block_theme' => $theme->is_block_theme(),
            ];
        },
    ]);
});
